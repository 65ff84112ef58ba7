// SPDX-License-Identifier: MIT
import CReactive
public import ReactiveCore
import ReactiveSupport
import Synchronization

/// Reports loops that run callbacks for too long, with the stack of the blocked thread, while they still run them.
///
/// ```swift
/// let watchdog = try LoopWatchdog(observing: [loop], limit: .milliseconds(100)) { turn in print(turn) }
/// ```
///
/// A watchdog has one thread, which observes the loops at intervals of an eighth of the limit. A loop is blocked if it
/// has not waited for descriptors and timers since an observation, and the limit has passed since then. Waits that
/// return immediately count too, so a busy loop with short turns is not blocked. Observation adds no instruction to a
/// loop's turn.
///
/// The watchdog counts only its own intervals. So there is no report because the process was stopped (`SIGSTOP`, a
/// debugger), the machine was suspended, or the loop's thread waited for a processor.
///
/// - A loop is observed in every run, also in `runOnce` and as a guest. The time between two runs does not count.
/// - If a callback runs another loop, the callback lasts as long as that run, so the outer loop may be reported.
/// - The watchdog does not retain the loops. It ends after the last of them has been disposed.
/// - When it has ended, its thread releases the handlers.
/// - Several watchdogs may observe one loop, with different limits.
/// - A forked child has no watchdog. Create one in the child.
///
/// To capture a stack, the watchdog sends `SIGURG` to the thread. Its handler for the signal stays installed, and passes
/// other occurrences on to a handler that the program has installed. System calls of a blocked callback that no handler
/// restarts return early with `EINTR`, such as `sleep` and `poll`. While the loop runs, its thread does not block
/// `SIGURG`. If a run, or a turn of a guest, began before the watchdog on a thread that blocks the signal, its stack is
/// unknown.
public final class LoopWatchdog: Disposable {
    /// Only the thread retains the handlers, so they are released when it ends. A handler may retain the watchdog.
    private struct Handlers: Sendable {
        let report: @Sendable (BlockedTurn) -> Void
        let ended: (@Sendable (BlockedTurn) -> Void)?
    }

    /// A delay that is common on a machine with too many threads, in nanoseconds.
    private static let latest: Int64 = 50_000_000

    private let limit: Int64
    private let interval: Int64
    /// Whether the watchdog has been disposed, or its thread has ended.
    private let isOver = Atomic<Bool>(false)
    private let spot = ParkingSpot()
    private let forkGeneration = ThreadIdentity.forkGeneration

    /// Starts to observe loops.
    ///
    /// Both handlers are called on the watchdog's thread, with no lock held. They may dispose the watchdog. While a
    /// handler runs, nothing is observed, so it should return soon.
    ///
    /// - Parameters:
    ///   - loops: Loops of this module: `EpollLoop`, `DispatchLoop`, `LibuvLoop`, `LibeventLoop`, and those of other
    ///     pollers.
    ///   - limit: How long a loop may run callbacks between two waits. At least one millisecond.
    ///   - ended: Receives each reported turn after it has ended, with its whole duration and without a stack. `nil`
    ///     reports no end.
    ///   - report: Receives each blocked turn once, while it lasts.
    /// - Throws: `badArgument` if a loop is of another kind or is simulated, or if the limit is too short; `systemCall`
    ///   if the system refuses a thread.
    public init(
        observing loops: [any LoopScheduler],
        limit: Duration = .milliseconds(100),
        ended: (@Sendable (BlockedTurn) -> Void)? = nil,
        _ report: @escaping @Sendable (BlockedTurn) -> Void
    ) throws(LoopError) {
        guard limit >= .milliseconds(1) else {
            throw LoopError(.badArgument, "cannot watch loops with a limit of \(limit): use at least 1 ms")
        }
        var cores: [LoopCore] = []
        for loop in loops {
            guard let core = (loop as? any EngineLoop)?.core, core.system == nil else {
                throw LoopError(
                    .badArgument,
                    "cannot watch loop \(loop.name): it is not a PollerLoop on the real system"
                )
            }
            cores.append(core)
        }
        self.limit = limit.saturatedNanoseconds
        interval = min(max(self.limit / 8, 500_000), 1_000_000_000)
        try start(cores, Handlers(report: report, ended: ended))
    }

    /// Whether the watchdog has been disposed, or all its loops have. Any thread may read it.
    public var isDisposed: Bool { isOver.load(ordering: .acquiring) || isForked }

    private var isForked: Bool { forkGeneration != ThreadIdentity.forkGeneration }

    /// Stops the observation. Any thread may call it, also a handler.
    ///
    /// No handler begins after the call. It does not wait for a handler that another thread runs.
    public func dispose() {
        // In a forked child there is no thread to wake, and a thread of the parent may have locked the spot.
        if isForked { return }
        isOver.store(true, ordering: .releasing)
        spot.unpark()
    }

    // MARK: Observing

    /// Starts the thread.
    private func start(_ cores: [LoopCore], _ handlers: Handlers) throws(LoopError) {
        // Later, the thread must not wait for a loop that is loading a library.
        ThreadStack.prepare()
        let loops = cores.map { WatchedLoop($0) }
        do {
            // A thread of the real system, even if the caller is code of a simulated process.
            try SimulatedProcess.runWithout { () throws(SystemThread.Refusal) in
                try SystemThread.detachWorker(name: "watchdog") { [self] in
                    observe(loops, handlers)
                    isOver.store(true, ordering: .releasing)
                }
            }
        } catch {
            for loop in loops { loop.leave() }
            throw LoopError.system("cannot create the thread of a watchdog: pthread_create", error.errno)
        }
    }

    private func observe(_ loops: [WatchedLoop], _ handlers: Handlers) {
        var loops = loops
        var last = reactive_monotonic_ns()
        // The time that the handlers took, within reason. It counts, because the loops continued.
        var handling: Int64 = 0
        defer { for loop in loops { loop.leave() } }
        while !loops.isEmpty, !isDisposed {
            _ = spot.park(nanoseconds: interval)
            if isDisposed { return }
            let now = reactive_monotonic_ns()
            let (elapsed, planned) = (now - last, interval + handling)
            // If this thread was very late, the process or the machine was stopped, and the loops were, too. A shorter
            // stop counts as one interval.
            if elapsed > planned + max(limit / 2, Self.latest) {
                for index in loops.indices { loops[index].startOver() }
            } else {
                observe(&loops, handlers, counting: min(elapsed, planned))
            }
            loops.removeAll { $0.isGone }
            handling = min(reactive_monotonic_ns() - now, limit)
            last = now
        }
    }

    private func observe(_ loops: inout [WatchedLoop], _ handlers: Handlers, counting interval: Int64) {
        for index in loops.indices {
            guard let (turn, hasEnded) = loops[index].observe(counting: interval, limit: limit) else { continue }
            // The capture of a stack takes time, and a handler may dispose the watchdog.
            if isDisposed { return }
            if hasEnded { handlers.ended?(turn) } else { handlers.report(turn) }
            if isDisposed { return }
        }
    }
}
