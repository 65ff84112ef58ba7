// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

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
    private let observation: Observation

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
        observation = Observation(limit: limit.saturatedNanoseconds)
        try observation.start(cores, Observation.Handlers(report: report, ended: ended))
    }

    /// Whether the watchdog has been disposed, or all its loops have. Any thread may read it.
    public var isDisposed: Bool { observation.isOver }

    /// Stops the observation. Any thread may call it, also a handler.
    ///
    /// No handler begins after the call. It does not wait for a handler that another thread runs.
    public func dispose() { observation.end() }
}
