// SPDX-License-Identifier: MIT
import ReactiveCore

/// Fires due timers at the end of a turn.
extension LoopCore {
    func fireTimers(_ state: LoopState, before firstNewTimer: UInt64) {
        let now = clock.now
        defer { if !state.fired.isEmpty { rearmFired(state) } }
        var waiting: [(TimerEntry, UInt64)] = []
        while !mustStop, let timer = state.timers.popFirstDue(at: now) {
            // A timer that was scheduled in this turn waits for the next turn (rules S12, T15).
            let sequence = timer.sequence
            if sequence >= firstNewTimer {
                waiting.append((timer.take(), sequence))
                continue
            }
            fire(timer, state)
        }
        for (entry, sequence) in waiting where !entry.isDisposed { state.timers.insert(entry, sequence: sequence) }
    }

    @inline(__always)
    func fire(_ timer: consuming DueTimer, _ state: LoopState) {
        if timer.look({ $0.isRepeating }) { return fireAgain(timer, state) }
        let entry = timer.take()
        guard let work = entry.takeWork() else { return }
        state.callbacks += 1
        state.recount(entry)
        work()
    }

    @inline(__always)
    private func fireAgain(_ timer: consuming DueTimer, _ state: LoopState) {
        guard timer.lookAtRepeating({ $0.fire { state.callbacks += 1 } }) else { return }
        // Among timers with the same deadline, this one fires after those that have been scheduled by now (rule T6).
        let sequence = state.nextTimer
        state.nextTimer += 1
        if timer.lookAtRepeating({ $0.countsFromEnd }) {
            timer.lookAtRepeating { $0.deadline = $0.next(now: clock.now) }
            state.timers.insert(timer, sequence: sequence)
        } else {
            state.fired.append(timer, sequence: sequence)
        }
    }

    /// Re-arms the fixed-rate timers, after all due timers have fired. It reads the clock once for all of them, because
    /// one reading for each timer would cost more than the rest. The next firing of a timer also replaces the firings
    /// that the timer missed while other timers ran.
    private func rearmFired(_ state: LoopState) {
        let now = clock.now
        state.fired.drain { timer in
            let isOver = timer.lookAtRepeating { timer in
                // Another timer's work may have disposed it.
                if timer.isDisposed { return true }
                timer.deadline = timer.next(now: now)
                return false
            }
            if isOver {
                _ = timer.take().takeRemains()
                return
            }
            let sequence = timer.sequence
            state.timers.insert(timer, sequence: sequence)
        }
    }
}
