import ReactiveCore
import ReactiveSupport
import Synchronization

/// How a timer is armed and disarmed.
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
            state.arm(entry)
            wakeIfInsideWait(state)
        } else if !(hosting.takesOverBetweenRuns && armBetweenRuns(entry)) {
            entry.willPost()
            if inbox.withLock({ inbox in inbox.post(.arm(entry)) }) {
                wakeIfWaiting()
            } else {
                entry.end(wasTaken: false)
            }
        }
        return entry
    }

    /// Arms a timer directly if a host takes over between the loop's runs and the loop does not run now. A post would wake
    /// the loop, and the next run would count that as a callback (rule R8).
    @inline(never)
    private func armBetweenRuns(_ entry: TimerEntry) -> Bool {
        guard runningThread.load(ordering: .relaxed) == 0, !isDisposed, !isHeldHere else { return false }
        let isArmed = try? withState("schedule") { state in
            // Timers in the inbox come first.
            guard inbox.withLock({ inbox in inbox.timerChanges.isEmpty }) else { return false }
            state.arm(entry)
            return true
        }
        return isArmed ?? false
    }

    func disarm(_ entry: TimerEntry) {
        if isForked { return }
        if isRunningHere {
            let state = state.value
            state.disarm(entry)
            wakeIfInsideWait(state)
            return
        }
        // On a loop that nobody runs the state can be had at once; else it is the loop that takes the entry out.
        if (try? withState("dispose", { state in state.disarm(entry) })) != nil { return }
        if inbox.withLock({ inbox in inbox.post(.disarm(entry)) }) { wakeIfWaiting() }
    }

    /// Counts a timer that was disposed in the inbox. The loop skips it when it empties the inbox.
    func didCancelPostedTimer() {
        if isForked { return }
        let released = inbox.withLock { inbox in inbox.didCancelTimer() }
        _ = consume released
    }
}
