// SPDX-License-Identifier: MIT
public import ReactiveCore

/// A loop of another library. It owns its thread, and runs the turns of a guest: a loop of this package.
///
/// An adapter to another library is a class that conforms to this protocol. A guest has one descriptor: an epoll set
/// with its sockets, its next deadline and its wake-up. The host watches that descriptor (`uv_poll_t`, `event`,
/// `g_unix_fd_add`, `QSocketNotifier`) and calls `turn` whenever it is readable. A turn is bounded. If work is left,
/// the descriptor stays readable, so the host serves its own handles in between. Docs/Guests.md has a complete host.
public protocol LoopHost: AnyObject, Sendable {
    /// Watches `descriptor` for reading, level-triggered, and calls `turn` each time that it is readable, until
    /// ``detach()``.
    ///
    /// The engine calls this once, on the thread that makes the guest: the host's own, or any thread before the host
    /// runs. Call `turn` where the host runs its own callbacks, one call at a time. Two calls at once, on two threads,
    /// trap. A call inside a turn, or after ``detach()``, does nothing. The closure retains the guest: release it in
    /// ``detach()``.
    ///
    /// - Parameters:
    ///   - descriptor: The guest's epoll set. The guest owns it.
    ///   - turn: Takes one turn of the guest. It never waits.
    /// - Throws: The error of the host's library. The guest's initializer then throws it, and the engine does not call
    ///   ``detach()``.
    func attach(_ descriptor: Int32, turn: @escaping @Sendable () -> Void) throws(LoopError)

    /// Stops watching permanently. The engine closes the descriptor after this returns, so the host must keep nothing
    /// of the guest.
    ///
    /// The engine calls this once, when the guest is disposed, on the thread where the host calls `turn`, often inside
    /// `turn`.
    func detach()

    /// The library's own loop, which becomes the guest's ``PollerLoop/nativeHandle``. The default is nil.
    var nativeHandle: UnsafeMutableRawPointer? { get }

    /// Whether the caller is where the host calls `turn`. Any thread may read it.
    ///
    /// The default, nil, means that only the thread matters: it is the thread of the last turn, and before the first
    /// turn the thread that created the guest.
    var isHere: Bool? { get }
}

extension LoopHost {
    /// Nil: the host has no native loop.
    public var nativeHandle: UnsafeMutableRawPointer? { nil }

    /// Nil: the guest belongs to the thread of its last turn.
    public var isHere: Bool? { nil }
}

/// The answer of a ``YieldingHost`` to a call.
package enum YieldingHostAnswer {
    /// The host does not watch yet, and will check the loop. The next post must call again.
    case isCalled
    /// The loop is in its own run, which takes the work.
    case standsBack
    /// The host watches the loop's descriptor from now on and need not be called again, or it has been detached.
    case watches
}

/// A host that runs no turns during the loop's own `run`, and watches nothing until it must: the main queue, for the
/// main thread's loop. A program that runs that loop itself needs no watch by libdispatch, and so no thread of
/// libdispatch.
package protocol YieldingHost: LoopHost {
    /// Starts to watch, unless the loop is in its own run. The loop has a timer or a watch. Any thread.
    func begin()

    /// Announces that work has been posted, and that the loop's descriptor is readable. Any thread.
    func call() -> YieldingHostAnswer

    /// The loop's own `run` begins on this thread. The host must call no turn until it ends.
    func runWillBegin()

    /// The loop's own `run` has ended, perhaps because the loop was disposed.
    func runDidEnd()
}
