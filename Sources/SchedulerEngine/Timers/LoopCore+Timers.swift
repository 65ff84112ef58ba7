// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

/// How a timer is scheduled and unscheduled.
///
/// Scheduling a timer only queues it. The loop's next wait (`announceWait`) passes the earliest deadline to the poller,
/// which arms its timerfd. A loop with a host arms the host's timerfd with it (`leaveToHost`).
extension LoopCore {
    func schedule(
        at deadline: LoopInstant,
        repeating repetition: Repetition?,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        if isForked { return DisposedHandle.shared }
        let entry = TimerEntry.make(self, at: deadline, repeating: repetition, options: options, work)
        if isRunningHere {
            let state = state.value
            state.insert(entry)
            wakeIfInsideWait(state)
            return entry
        }
        if hosting.takesOverBetweenRuns {
            let isInserted = insertBetweenRuns(entry)
            if isInserted { return entry }
        }
        entry.willPost()
        if inbox.withLock({ inbox in inbox.post(.insert(entry)) }) {
            wakeIfWaiting()
        } else {
            entry.end(wasTaken: false)
        }
        return entry
    }

    /// Queues a timer directly if a host takes over between the loop's runs and the loop does not run now. A post would
    /// wake the loop, and the next run would count that as a callback (rule R8). `withState` arms the host's timerfd
    /// when the borrow ends (`leaveToYieldingHost`).
    ///
    /// - Returns: Whether the timer is queued. Otherwise the caller posts it to the inbox.
    @inline(never)
    private func insertBetweenRuns(_ entry: TimerEntry) -> Bool {
        guard runningThread.load(ordering: .relaxed) == 0, !isDisposed, !isHeldHere else { return false }
        let isQueued = try? withState("schedule") { state in
            // Timers in the inbox were scheduled earlier, and must be queued first.
            guard inbox.withLock({ inbox in inbox.timerChanges.isEmpty }) else { return false }
            state.insert(entry)
            return true
        }
        return isQueued ?? false
    }

    func unschedule(_ entry: TimerEntry) {
        if isForked { return }
        if isRunningHere {
            let state = state.value
            state.remove(entry)
            wakeIfInsideWait(state)
            return
        }
        // If the loop does not run, this thread borrows the state. Otherwise the loop removes the entry.
        if (try? withState("dispose", { state in state.remove(entry) })) != nil { return }
        if inbox.withLock({ inbox in inbox.post(.remove(entry)) }) { wakeIfWaiting() }
    }

    /// Counts a timer that was disposed in the inbox. The loop skips it when it empties the inbox.
    func didCancelPostedTimer() {
        if isForked { return }
        let released = inbox.withLock { inbox in inbox.didCancelTimer() }
        _ = consume released
    }
}
