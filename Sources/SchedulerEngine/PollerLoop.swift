public import ReactiveCore
import ReactiveSupport

/// An event loop on a given poller: the one engine, and a back end that waits.
///
/// `LibuvLoop`, `LibeventLoop` and `DispatchLoop` are this type with their pollers; a back end of your own is a `Poller` and
/// a `typealias`. Everything that ``LoopScheduler`` promises holds whatever the poller is.
///
/// The order inside a turn (rule S4): the work given before the turn began, at most 4096 pieces; one wait; the descriptors
/// that are ready; the timers that are due. What is given meanwhile runs in a later turn (S3, S12).
///
/// A loop that owns its thread lives until it is disposed. The others end with their last reference. Actors and tasks do
/// not keep a loop that they use as their executor: something else has to.
public final class PollerLoop<Back: Poller & ~Copyable>: LoopScheduler {
    let core: LoopCore
    let mark: CurrentScheduler.Mark

    /// Makes a loop.
    ///
    /// - Parameters:
    ///   - name: what messages call it, and the name of the thread that it owns.
    ///   - thread: who runs it. The main thread's loop is ``main``; there is one of each kind.
    ///   - clock: where it reads the time. A poller that waits in real time needs the monotonic clock.
    /// - Throws: `systemCall` where the system or the library has no more to give.
    public convenience init(
        name: String,
        thread: LoopThread = .owned,
        clock: any LoopClock = MonotonicClock()
    ) throws(LoopError) {
        if thread == .main {
            throw LoopError(.badArgument, "loop \(name): the main thread's loop is the static property main")
        }
        try self.init(of: thread, name: name, clock: clock)
    }

    private init(of thread: LoopThread, name: String, clock: any LoopClock) throws(LoopError) {
        StandardStreams.fill()
        core = try LoopCore(name: name, thread: thread, clock: clock, poller: BoxedPoller(Back.self))
        mark = core.mark
        core.identity.attach(self)
        guard thread == .owned else { return }
        core.ownedThread.withLock { [self] owned in
            // The thread holds the loop until it has been disposed.
            owned = SystemThread(name: name) { self.core.runUntilDisposed() }
        }
    }

    deinit {
        core.dispose()
    }

    /// The loop of the process's main thread, one of each kind, made at first use. It serves `DispatchQueue.main`, and with
    /// it `@MainActor`, while it runs.
    ///
    /// It traps where the system has no descriptor left for it.
    public static var main: PollerLoop {
        mainLoop { _ in nil }
    }

    /// The same, with a host that runs it while its own `run` does not.
    package static func mainLoop(_ host: (PollerLoop) -> (any LoopHost)?) -> PollerLoop {
        MainLoops.shared.loop(ObjectIdentifier(PollerLoop.self)) {
            do {
                return try PollerLoop(of: .main, name: "main", clock: MonotonicClock())
            } catch {
                preconditionFailure("the main thread's loop cannot be made: \(error)")
            }
        } prepare: { loop in
            let host = host(loop)
            loop.core.host.withLock { current in current = host }
        }
    }

    /// One turn for a host; tells when the next one is due at the latest.
    package func turnAsGuest() throws(LoopError) -> PollDeadline {
        try core.turnAsGuest()
    }

    /// A descriptor that is readable when the loop has something to do, if the back end has one.
    package var pollDescriptor: Int32? { core.pollDescriptor }

    /// The loop of this kind whose work is running on this thread, or nil.
    public static var current: PollerLoop? {
        CurrentScheduler.value as? PollerLoop
    }

    public var name: String { core.name }

    /// Who runs it.
    public var thread: LoopThread { core.thread }

    /// The library's own loop (`uv_loop_t *`, `event_base *`); nil where there is none, and after disposal.
    ///
    /// C code may put its handles on it, on the loop's thread; the same `run` serves them. It must take them off before the
    /// loop is disposed.
    public var nativeHandle: UnsafeMutableRawPointer? { core.nativeHandle }
}
