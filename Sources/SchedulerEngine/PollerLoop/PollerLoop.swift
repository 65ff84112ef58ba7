// SPDX-License-Identifier: MIT
public import ReactiveCore
package import ReactiveSupport
import Synchronization

/// An event loop. It consists of an engine, which is the same for all back ends, and a poller, which waits.
///
/// `EpollLoop`, `LibuvLoop`, `LibeventLoop` and `DispatchLoop` are aliases of this type with different pollers. To add
/// a back end, write a `Poller` and a `typealias`. The contract of `LoopScheduler` applies to every poller.
///
/// Any thread may use every member, except those whose documentation names a thread.
///
/// A turn has these steps (rule S4): it runs at most 4096 items of work, waits once, calls the watches of ready
/// descriptors, and fires due timers. Work that is submitted during a turn runs in a later turn (S3, S12).
///
/// A loop that owns its thread lives until it is disposed. A guest does too. A guest is a loop that another loop runs.
/// Any other loop is disposed when its last reference is released.
///
/// - An actor does not retain the loop that is its executor, so the program must retain it.
/// - A task that prefers the loop (`Task(executorPreference:)`) retains it until the task has ended. If no thread runs
///   the loop any more, such a task never ends, so the loop is not released by itself. Call ``dispose()``: the
///   remaining jobs then run on a separate thread (X7).
public final class PollerLoop<Back: Poller & ~Copyable>: LoopScheduler {
    let core: LoopCore
    package let mark: CurrentScheduler.Mark

    /// Creates a loop. If it owns its thread, that thread starts to run it immediately.
    ///
    /// - Parameters:
    ///   - name: The name in messages, and of the thread that the loop owns.
    ///   - thread: Which thread runs the loop: `.owned` or `.caller`.
    ///   - clock: The clock of the loop's timers. A poller that waits in real time needs the monotonic clock.
    /// - Throws: `systemCall` if the system or the library has no descriptor, thread or memory left. All resources of
    ///   the loop are then released. `badArgument` if `thread` is `.main` (use ``main``) or `.host` (attach the loop to
    ///   its host).
    public convenience init(
        name: String,
        thread: LoopThread = .owned,
        clock: any LoopClock = MonotonicClock()
    ) throws(LoopError) {
        if thread == .main {
            throw LoopError(.badArgument, "cannot create loop \(name) with .main: use the static property main")
        }
        if thread == .host {
            throw LoopError(.badArgument, "cannot create loop \(name) with .host: use init(attachedTo:name:)")
        }
        try self.init(of: thread, name: name, clock: clock)
    }

    init(
        of thread: LoopThread,
        name: String,
        clock: any LoopClock,
        hostAddress: UInt = 0,
        system: (any EventSystem)? = nil
    ) throws(LoopError) {
        StandardStreams.fill()
        core = try LoopCore(
            name: name,
            thread: thread,
            clock: clock,
            hostAddress: hostAddress,
            system: system,
            // A guest waits in an epoll set, which its host watches.
            poller: thread == .host && system == nil ? BoxedPoller(EpollPoller.self) : BoxedPoller(Back.self)
        )
        mark = core.mark
        core.identity.attach(self)
        guard thread == .owned else { return }
        do {
            try core.ownedThread.withLock { [self] (owned) throws(SystemThread.Refusal) in
                // The thread retains the loop until the loop is disposed.
                owned = try SystemThread(name: name) { self.core.runUntilDisposed() }
            }
        } catch {
            // The loop has no thread that could dispose it, so `deinit` does.
            core.releaseStateOrTakeDown()
            throw LoopError.system("cannot create the thread of loop \(name): pthread_create", error.errno)
        }
    }

    /// Creates a main loop that refuses every call with an error.
    private init(refusingWith failure: LoopError) {
        core = LoopCore(refusingWith: failure)
        mark = core.mark
        core.identity.attach(self)
    }

    deinit {
        core.dispose()
    }

    /// The loop of this kind that belongs to the process's main thread. It is created at first use. While it runs, it
    /// serves `DispatchQueue.main`, and with it `@MainActor`.
    ///
    /// Any thread may use it first, even while the main thread runs it (rule M8). The first use opens every descriptor
    /// that a run needs. If the system has no descriptor left, the result is a disposed substitute: it drops work, and
    /// its calls throw `systemCall`. The next use of `main` tries again. In a forked child the loop belongs to the
    /// parent, and its calls throw `forked`.
    public static var main: PollerLoop {
        mainLoop { nil }
    }

    /// The loop of the main thread (``main``). If `host` returns a host, that host runs the loop between the loop's own
    /// runs.
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

    /// The loop of this kind whose work is running on the calling thread. It is `nil` if there is none, for example in
    /// work of another kind of scheduler.
    public static var current: PollerLoop? {
        CurrentScheduler.value as? PollerLoop
    }

    /// How long to busy-poll before blocking. The default, `.zero`, never busy-polls. A negative value counts as zero.
    ///
    /// The system needs some microseconds to wake a sleeping thread. A loop that busy-polls reacts immediately, but
    /// uses a processor for up to this duration before each wait. Use it for a loop that has its own processor, and
    /// that exchanges messages with one peer or one other loop at a time. On a machine with one processor it only takes
    /// time from other threads.
    ///
    /// Order, fairness and timers stay the same (rules S4, T1). Any thread may set it, even while the loop runs. The
    /// new value applies from the next wait on. A guest ignores it, because only its host waits.
    public var spinLimit: Duration {
        get { .nanoseconds(core.spinLimit.load(ordering: .relaxed)) }
        set { core.spinLimit.store(max(0, newValue.saturatedNanoseconds), ordering: .relaxed) }
    }

    /// The loop's name in messages. It need not be unique.
    public var name: String { core.name }

    /// Which thread runs the loop.
    public var thread: LoopThread { core.thread }

    /// The C library's loop (`uv_loop_t *`, `event_base *`). On a guest, it is the host's loop. It is `nil` if there is
    /// none, and after disposal.
    ///
    /// Any thread may read it. C code may add its own handles to the C loop, on the loop's thread. `run` then serves
    /// these handles too. C code must remove them before the loop is disposed.
    public var nativeHandle: UnsafeMutableRawPointer? { unsafe core.nativeHandle }
}

extension PollerLoop: CustomReflectable where Back: ~Copyable {
    /// The name and the thread. `dump` and a failed expectation reflect every stored property, and the Swift runtime traps at
    /// one that cannot be copied.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "thread": thread]) }
}

extension LoopCore: CustomReflectable {
    /// As that of the loop: a watch and a timer refer to the core.
    var customMirror: Mirror { Mirror(self, children: ["name": name, "thread": thread]) }
}
