// SPDX-License-Identifier: MIT
public import ReactiveCore

/// A loop of another library that runs the turns of a guest. A guest is a loop of this package that has no thread.
///
/// To attach loops to another library, write a class that conforms to this protocol. A guest has one descriptor: an
/// epoll set that contains its sockets, a timerfd for its next deadline, and its wake-up descriptor. The host watches
/// the epoll set (`uv_poll_t`, `event`, `g_unix_fd_add`, `QSocketNotifier`) and calls `turn` whenever the set is
/// readable. The work of a turn is bounded. If work is left, the descriptor stays readable, so the host serves its own
/// handles between two turns. Docs/Guests.md contains a complete host.
public protocol LoopHost: AnyObject, Sendable {
    /// Starts to watch `descriptor` for reading, level-triggered. The host must call `turn` whenever the descriptor is
    /// readable, until ``detach()``.
    ///
    /// The engine calls this once, on the thread that creates the guest. That is the host's thread, or any thread
    /// before the host runs. Call `turn` where the host runs its own callbacks, one call at a time. Two simultaneous
    /// calls on two threads trap. A call inside a turn, or after ``detach()``, has no effect. The closure retains the
    /// guest, so release the closure in ``detach()``.
    ///
    /// - Parameters:
    ///   - descriptor: The guest's epoll set. The guest owns it.
    ///   - turn: Runs one turn of the guest. It never waits.
    /// - Throws: The error of the host's library. The guest's initializer then throws this error, and the engine does
    ///   not call ``detach()``.
    func attach(_ descriptor: Int32, turn: @escaping @Sendable () -> Void) throws(LoopError)

    /// Stops watching permanently. The engine closes the descriptor after this call, so the host must not use it
    /// afterwards.
    ///
    /// The engine calls this once, when the guest is disposed. The call is made on the thread on which the host calls
    /// `turn`, often inside `turn`.
    func detach()

    /// The library's own loop. It becomes the guest's ``PollerLoop/nativeHandle``. The default is `nil`.
    var nativeHandle: UnsafeMutableRawPointer? { get }

    /// Whether the caller is on the thread, or in the queue, where the host calls `turn`. Any thread may read it.
    ///
    /// The default, `nil`, means that the guest belongs to the thread of its last turn. Before the first turn it
    /// belongs to the thread that created it.
    var isHere: Bool? { get }
}

extension LoopHost {
    /// The default is `nil`: the host has no native loop.
    public var nativeHandle: UnsafeMutableRawPointer? { nil }

    /// The default is `nil`: the guest belongs to the thread of its last turn.
    public var isHere: Bool? { nil }
}

/// The answer of a ``YieldingHost`` to a call.
package enum YieldingHostAnswer {
    /// The host has queued one turn and does not watch the descriptor yet. The next post must call `call()` again.
    case isCalled
    /// The loop is in its own run, which will take the work.
    case standsBack
    /// The host now watches the loop's descriptor, or has been detached. It need not be called again.
    case watches
}

/// The main queue as the host of the main thread's loop. It runs no turns during the loop's own `run`. It starts to
/// watch the loop only when necessary. So libdispatch creates no thread for a program that always runs the loop itself.
package protocol YieldingHost: LoopHost {
    /// Starts to watch, unless the loop is in its own run. The engine calls this when the loop has a timer or a watch.
    /// Any thread may call it. Returns false if the kernel refuses a descriptor that the host needs. The engine then calls
    /// `begin` again when the program next uses the loop, and `call` for posted work.
    func begin() -> Bool

    /// Announces that work has been posted, and that the loop's descriptor is readable. Any thread may call it.
    func call() -> YieldingHostAnswer

    /// The loop's own `run` begins on this thread. The host must not call `turn` until that run ends.
    func runWillBegin()

    /// The loop's own `run` has ended for any reason, including a disposal.
    func runDidEnd()
}
