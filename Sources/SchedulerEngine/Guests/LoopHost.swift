// SPDX-License-Identifier: MIT
public import ReactiveCore

/// A loop of another library that owns its thread, and runs the turns of a guest. A guest is a loop of this package.
///
/// An adapter to another library is a class that conforms to this protocol. A guest has one descriptor: an epoll set
/// that contains its sockets, a timerfd for its next deadline, and its wake-up descriptor. The host watches the epoll
/// set (`uv_poll_t`, `event`, `g_unix_fd_add`, `QSocketNotifier`) and calls `turn` whenever it is readable. A turn is
/// bounded. If work is left, the descriptor stays readable, so the host serves its own handles between two turns.
/// Docs/Guests.md has a complete host.
public protocol LoopHost: AnyObject, Sendable {
    /// Starts to watch `descriptor` for reading, level-triggered. The host must call `turn` whenever it is readable,
    /// until ``detach()``.
    ///
    /// The engine calls this once, on the thread that creates the guest. That is the host's thread, or any thread
    /// before the host runs. Call `turn` where the host runs its own callbacks, one call at a time. Two simultaneous
    /// calls on two threads trap. A call inside a turn, or after ``detach()``, does nothing. The closure retains the
    /// guest, so release it in ``detach()``.
    ///
    /// - Parameters:
    ///   - descriptor: The guest's epoll set. The guest owns it.
    ///   - turn: Takes one turn of the guest. It never waits.
    /// - Throws: The error of the host's library. The guest's initializer then throws it, and the engine does not call
    ///   ``detach()``.
    func attach(_ descriptor: Int32, turn: @escaping @Sendable () -> Void) throws(LoopError)

    /// Stops watching permanently. The engine closes the descriptor after this returns, so the host must not use it
    /// afterwards.
    ///
    /// The engine calls this once, when the guest is disposed. It does so on the thread on which the host calls `turn`,
    /// often inside `turn`.
    func detach()

    /// The library's own loop, which becomes the guest's ``PollerLoop/nativeHandle``. The default is nil.
    var nativeHandle: UnsafeMutableRawPointer? { get }

    /// Whether the caller is on the thread, or in the queue, where the host calls `turn`. Any thread may read it.
    ///
    /// The default, nil, means that the guest belongs to the thread of the last turn. Before the first turn it belongs
    /// to the thread that created it.
    var isHere: Bool? { get }
}

extension LoopHost {
    /// Nil: the host has no native loop.
    public var nativeHandle: UnsafeMutableRawPointer? { nil }

    /// Nil: the guest belongs to the thread of its last turn.
    public var isHere: Bool? { nil }
}

/// The result of a call of a ``YieldingHost``.
package enum YieldingHostAnswer {
    /// The host does not watch the loop yet, and will check it once. The next post must call again.
    case isCalled
    /// The loop is in its own run, which will take the work.
    case standsBack
    /// The host watches the loop's descriptor from now on and need not be called again, or it has been detached.
    case watches
}

/// The main queue as the host of the main thread's loop. It runs no turns during the loop's own `run`, and starts to
/// watch only when it must. A program that always runs the loop itself needs no watch by libdispatch, and so no thread
/// of libdispatch.
package protocol YieldingHost: LoopHost {
    /// Starts to watch, unless the loop is in its own run. Called when the loop has a timer or a watch. Any thread.
    func begin()

    /// Announces that work has been posted, and that the loop's descriptor is readable. Any thread.
    func call() -> YieldingHostAnswer

    /// Called when the loop's own `run` begins on this thread. The host must not call a turn until the run ends.
    func runWillBegin()

    /// Called when the loop's own `run` has ended for any reason, including a disposal.
    func runDidEnd()
}
