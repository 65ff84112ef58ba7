public import ReactiveCore
package import ReactiveSupport
import Synchronization

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
    package let mark: CurrentScheduler.Mark

    /// Makes a loop.
    ///
    /// - Parameters:
    ///   - name: what messages call it, and the name of the thread that it owns.
    ///   - thread: who runs it. The main thread's loop is ``main``; there is one of each kind.
    ///   - clock: where it reads the time. A poller that waits in real time needs the monotonic clock.
    /// - Throws: `systemCall` where the system or the library has no descriptor, no thread or no memory to give. Nothing is left of
    ///   the loop then.
    public convenience init(
        name: String,
        thread: LoopThread = .owned,
        clock: any LoopClock = MonotonicClock()
    ) throws(LoopError) {
        if thread == .main {
            throw LoopError(.badArgument, "loop \(name): the main thread's loop is the static property main")
        }
        if thread == .host {
            throw LoopError(.badArgument, "loop \(name): a guest is made with its host (attachedTo:, on:)")
        }
        try self.init(of: thread, name: name, clock: clock)
    }

    init(
        of thread: LoopThread,
        name: String,
        clock: any LoopClock,
        hostAddress: UInt = 0
    ) throws(LoopError) {
        StandardStreams.fill()
        core = try LoopCore(
            name: name,
            thread: thread,
            clock: clock,
            hostAddress: hostAddress,
            // A guest waits in an epoll set, which its host waits for.
            poller: thread == .host ? BoxedPoller(EpollPoller.self) : BoxedPoller(Back.self)
        )
        mark = core.mark
        core.identity.attach(self)
        guard thread == .owned else { return }
        do {
            try core.ownedThread.withLock { [self] (owned) throws(SystemThread.Refusal) in
                // The thread holds the loop until it has been disposed.
                owned = try SystemThread(name: name) { self.core.runUntilDisposed() }
            }
        } catch {
            // Nobody runs it, so that `deinit` takes it down.
            core.endHolding()
            throw LoopError.system("no thread for loop \(name): pthread_create", error.errno)
        }
    }

    /// A main loop that refuses everything with an error.
    private init(refusingWith failure: LoopError) {
        core = LoopCore(refusingWith: failure)
        mark = core.mark
        core.identity.attach(self)
    }

    deinit {
        core.dispose()
    }

    /// The loop of the process's main thread, one of each kind, made at first use. It serves `DispatchQueue.main`, and with
    /// it `@MainActor`, while it runs.
    ///
    /// Any thread may be the first to use it, also while the main thread runs it (rule M8). It is made with everything that its
    /// run needs. Where the system has no descriptor left for that, the result is a loop that refuses everything with that error
    /// (`systemCall`) and takes no work; the next use tries again. In a forked child it is the parent's (`forked`).
    public static var main: PollerLoop {
        mainLoop { nil }
    }

    /// The same, with a host that runs it while its own `run` does not.
    package static func mainLoop(_ host: () -> (any LoopHost)?) -> PollerLoop {
        do {
            return try MainLoops.loop { () throws(LoopError) in
                let loop = try PollerLoop(of: .main, name: "main", clock: MonotonicClock())
                _ = try MainQueue.descriptor()
                if let host = host() { try loop.core.attach(to: host) { loop.turnForHost() } }
                return loop
            } discard: { loop in
                loop.dispose()
            }
        } catch {
            return MainLoops.loop(refusingWith: error) { PollerLoop(refusingWith: error) }
        }
    }

    /// The loop of this kind whose work is running on this thread, or nil.
    public static var current: PollerLoop? {
        CurrentScheduler.value as? PollerLoop
    }

    /// How long the loop looks for something to do, again and again, before it lets its thread sleep. Zero, as it is made: not
    /// at all.
    ///
    /// A thread that sleeps takes the system some microseconds to wake, more on a virtual processor; one that looks answers at
    /// once, and costs a processor meanwhile: at most so long for each wait. It is for loops with a processor of their own that
    /// answer one peer or one other loop after the other. On a machine with one processor it only takes time from others.
    /// Order, fairness and timers are the same (rules S4, T1); work from other threads wakes nobody while the loop looks. Any
    /// thread may set it, also while the loop runs: it counts from the next wait on. Less than zero counts as zero.
    public var spinLimit: Duration {
        get { .nanoseconds(core.spinLimit.load(ordering: .relaxed)) }
        set { core.spinLimit.store(max(0, newValue.saturatedNanoseconds), ordering: .relaxed) }
    }

    public var name: String { core.name }

    /// Who runs it.
    public var thread: LoopThread { core.thread }

    /// The library's own loop (`uv_loop_t *`, `event_base *`), a guest's host's; nil where there is none, and after disposal.
    ///
    /// C code may put its handles on it, on the loop's thread; the same `run` serves them. It must take them off before the
    /// loop is disposed.
    public var nativeHandle: UnsafeMutableRawPointer? { unsafe core.nativeHandle }
}
