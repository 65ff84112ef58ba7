// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

extension PollerLoop where Back: ~Copyable {
    /// Counts the objects that the loop contains at this moment. Call it in the loop's own work, or while the loop does
    /// not run.
    ///
    /// On another thread, use `loop.execute { … }`. The call takes time proportional to the number of timers that wait
    /// in the inbox.
    ///
    /// - Throws: `wrongThread` on another thread while the loop runs, and for a guest on any thread but its host's;
    ///   `disposed`; `forked`.
    public func statistics() throws(LoopError) -> LoopStatistics {
        try core.withState("statistics") { state in
            let (posted, changes) = core.inbox.withLock { inbox in (inbox.work.count, inbox.timerChanges) }
            // The next turn inserts the timers that have been posted since the last one.
            let asked = changes.filter { change in
                if case .insert(let timer) = change { !timer.isDisposed } else { false }
            }
            return LoopStatistics(
                timers: state.timers.count + state.fired.pendingCount + asked.count,
                // Each handler of a process signal has one watch.
                watches: state.table.watchCount - state.listeners.count,
                signalHandlers: state.listeners.count,
                work: state.work.count + posted,
                turns: state.turn
            )
        }
    }
}
