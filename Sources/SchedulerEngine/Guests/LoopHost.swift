public import ReactiveCore

/// Somebody else's loop, which owns its thread and runs, and of which one of ours is a guest.
///
/// This is all that an adapter to another library writes: a guest has one descriptor, an epoll set of its sockets, its next
/// deadline and its wake-up. The host watches that one (`uv_poll_t`, `event`, `g_unix_fd_add`, `QSocketNotifier`) and gives the
/// guest a turn whenever it is readable. A turn is bounded; what is left over leaves the descriptor readable, so that the
/// host's own handles come between. Docs/Guests.md has a whole one.
public protocol LoopHost: AnyObject, Sendable {
    /// Watches `descriptor` for reading, level-triggered, and calls `turn` each time that it is readable, until ``detach()``.
    ///
    /// Called once, on the thread that makes the guest: the host's own, or any before the host runs. Every call of `turn` is
    /// made where the host runs its own callbacks, one at a time; two at once trap. The closure holds the guest: let go of it
    /// in ``detach()``.
    ///
    /// - Throws: what the host's library says; the guest is then not made.
    func attach(_ descriptor: Int32, turn: @escaping @Sendable () -> Void) throws(LoopError)

    /// Stops watching, for good: nothing of the guest's may be left with the host, and the descriptor is closed on return.
    ///
    /// Called once, where `turn` is called, often from inside it, when the guest is disposed.
    func detach()

    /// The library's own loop, which becomes the guest's ``PollerLoop/nativeHandle``; nil unless the host says otherwise.
    var nativeHandle: UnsafeMutableRawPointer? { get }

    /// Whether the caller is where the host calls `turn`, asked from any thread; nil where that is a matter of the thread
    /// alone: then it is the one that took the last turn, and before the first the one that made the guest.
    var isHere: Bool? { get }
}

extension LoopHost {
    /// None, unless the host says otherwise.
    public var nativeHandle: UnsafeMutableRawPointer? { nil }

    /// A matter of the thread, unless the host says otherwise.
    public var isHere: Bool? { nil }
}

/// What a ``YieldingHost`` does about a call.
package enum YieldingHostAnswer {
    /// It watches nothing yet, and will look. The next post has to call again.
    case isCalled
    /// A run of ours goes on, and takes the work.
    case standsBack
    /// It watches the loop's descriptor from now on, and need not be called again; or it has no loop any more.
    case watches
}

/// A host that stands back while the loop's own `run` goes on, and watches nothing before it has to: the main queue, for the main
/// thread's loop. A program that runs that loop itself has no thread for what would never be asked for.
package protocol YieldingHost: LoopHost {
    /// Watch from now on, unless a run of ours goes on: something is waited for. Any thread.
    func begin()

    /// Work has been posted, and the loop's descriptor is readable. Any thread.
    func call() -> YieldingHostAnswer

    /// Our `run` takes over, on this thread: call no turn until it ends.
    func runWillBegin()

    /// Our `run` has ended, or the loop with it.
    func runDidEnd()
}
