// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

/// Schedules and unschedules timers.
///
/// Scheduling a timer only inserts it into the queue. Before the next wait, `announceWait` returns the earliest
/// deadline, and the poller arms its timerfd with this deadline. If the loop has a host, `leaveToHost` arms the host's
/// timerfd instead.
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

    /// Inserts a timer directly into the queue if the main queue runs the loop between its own runs, and the loop does
    /// not run now. A post would wake the loop, and the next run would count that wake-up as a callback (rule R8).
    /// After the insertion, `leaveToYieldingHost` arms the host's timerfd.
    ///
    /// - Returns: Whether the timer has been inserted. If not, the caller posts it to the inbox.
    @inline(never)
    private func insertBetweenRuns(_ entry: TimerEntry) -> Bool {
        guard runningThread.load(ordering: .relaxed) == 0, !isDisposed, !isHeldHere else { return false }
        let isQueued = try? withState("schedule") { state in
            // Timers in the inbox were scheduled earlier, and must be inserted first.
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

    /// Counts a timer that was disposed while it was in the inbox. The loop ignores it when it empties the inbox.
    func didCancelPostedTimer() {
        if isForked { return }
        let released = inbox.withLock { inbox in inbox.didCancelTimer() }
        _ = consume released
    }
}
