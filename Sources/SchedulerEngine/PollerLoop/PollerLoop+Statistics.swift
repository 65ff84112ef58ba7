public import ReactiveCore
import ReactiveSupport

extension PollerLoop where Back: ~Copyable {
    /// What the loop holds at this moment, for its own work or on a loop that nobody runs.
    ///
    /// Another thread asks by work: `loop.execute { … }`. Throws `wrongThread` or `alreadyRunning` there, and `disposed` on a
    /// loop that is over, which holds nothing.
    public func statistics() throws(LoopError) -> LoopStatistics {
        try core.withState("statistics") { state in
            let (posted, changes) = core.inbox.withLock { inbox in (inbox.work.count, inbox.timerChanges) }
            // Timers that have been asked for since the last turn are armed in the next one.
            let asked = changes.filter { change in
                if case .arm(let timer) = change { !timer.isDisposed } else { false }
            }
            return LoopStatistics(
                timers: state.timers.count + state.fired.pendingCount + asked.count,
                // A process signal's handler is a watch of the engine's.
                watches: state.table.watchCount - state.listeners.count,
                signals: state.listeners.count,
                work: state.work.count + posted,
                turns: state.turn
            )
        }
    }
}
