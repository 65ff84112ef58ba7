// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

/// One turn: runs work, calls watches, fires timers.
extension LoopCore {
    /// The maximum number of jobs in one turn, so that descriptors and timers are served too (rules S6–S10).
    private static let workPerTurn = 4096

    /// Whether a turn may wait for descriptors and timers. The turn evaluates it after running the queued work: that
    /// work may be the callback for which `runOnce(waiting: true)` waits.
    enum Waiting {
        case no, always, whileAlive
        /// The turn may wait until a callback has run. The value is the number of callbacks before the run.
        case untilCallback(UInt64)

        func isAllowed(_ state: LoopState) -> Bool {
            switch self {
            case .no: false
            case .always: true
            case .whileAlive: state.aliveCount > 0
            case .untilCallback(let before): state.callbacks == before
            }
        }
    }

    func turn(_ state: LoopState, waiting: Waiting) throws(LoopError) {
        try oneTurn(state, waiting: waiting)
        if isForked { throw error(.forked, "run") }
    }

    @inline(__always)
    private func oneTurn(_ state: LoopState, waiting: Waiting) throws(LoopError) {
        state.turn += 1
        if state.mustNarrow { state.retryNarrowing() }
        takeFromInbox(state)
        let firstNewTimer = state.nextTimer
        if state.hasWork {
            mark.run { runWork(state) }
            // A stop in this turn keeps the remaining work (R2). A stop from before the run does not end the turn here:
            // `run` has already cleared it (R4).
            if mustStop { return }
        }
        if try !spin(state, waiting) {
            let deadline = announceWait(state, waiting: waiting)
            defer { wakeup.isAwaited = false }
            try wait(state, until: deadline)
        }
        if !state.batch.isEmpty {
            // A stop that ended the wait takes precedence over descriptors that became ready (rule R2).
            if !mustStop { mark.run { dispatch(state) } }
            state.batch.removeAll()
            if mustStop { return }
        }
        if !state.timers.isEmpty { mark.run { fireTimers(state, before: firstNewTimer) } }
    }

    /// Busy-polls before the wait if the loop has a spin limit.
    ///
    /// Returns true if no wait is needed: descriptors are ready and in the batch, or a timer is due. Returns false if
    /// the caller must wait. If work has arrived by then, that wait returns immediately.
    @inline(__always)
    private func spin(_ state: LoopState, _ waiting: Waiting) throws(LoopError) -> Bool {
        let limit = spinLimit.load(ordering: .relaxed)
        if limit == 0 || state.hasWork || !waiting.isAllowed(state) { return false }
        return try spin(state, waiting, for: limit)
    }

    @inline(never)
    private func spin(_ state: LoopState, _ waiting: Waiting, for limit: Int64) throws(LoopError) -> Bool {
        let begin = clock.now
        // A C callback inside of a poll may end what the turn waits for.
        while !mustStop, waiting.isAllowed(state), inbox.withLock({ inbox in inbox.isEmpty }) {
            try wait(state, until: .now)
            if !state.batch.isEmpty { return true }
            let now = clock.now
            if let first = state.timers.nextDeadline, first <= now { return true }
            if now.nanoseconds - begin.nanoseconds >= limit { return false }
        }
        return false
    }

    /// Waits in the poller. Inside the wait, the C library may run callbacks of its own handles. These callbacks count
    /// as the loop's work, so the loop is the current scheduler.
    private func wait(_ state: LoopState, until deadline: PollDeadline) throws(LoopError) {
        phase.beginWait()
        defer { phase.endWait() }
        try mark.run { () throws(LoopError) in
            try state.poller.wait(until: deadline) { token, readiness in
                switch token {
                case Token.wake: wakeup.descriptor.clear()
                case Token.pollTimer: break  // It only ends the wait. In the batch it would end busy-polling, too.
                default: state.collect(token, readiness)
                }
            }
        }
    }

    func takeFromInbox(_ state: LoopState) {
        // Work that remains from an earlier turn precedes work that was posted since.
        inbox.withLock { inbox in inbox.move(to: state.work, timerChanges: &state.timerChanges) }
        guard !state.timerChanges.isEmpty else { return }
        // Marked as the loop's work, because the release of a disposed timer may run a `deinit` that reads the current
        // scheduler.
        mark.run { takeTimerChanges(state) }
    }

    private func takeTimerChanges(_ state: LoopState) {
        for change in state.timerChanges {
            switch change {
            case .insert(let entry): if entry.receive() { state.insert(entry) }
            case .remove(let entry): state.remove(entry)
            }
        }
        state.timerChanges.removeAll(keepingCapacity: state.timerChanges.count <= Self.workPerTurn)
    }

    private func runWork(_ state: LoopState) {
        let queue = state.work
        var left = Self.workPerTurn
        // A `deinit` that ran in `takeTimerChanges` may have disposed the loop (rule D4).
        if mustStop { return }
        while left > 0, let piece = queue.popFirst() {
            left -= 1
            state.callbacks += 1
            switch consume piece {
            case .closure(let work):
                work()
            case .scheduled(let scheduled): scheduled.run()
            case .job(let job): identity.run(job)
            }
            if mustStop { return }
        }
    }

    /// Announces a wait, and returns its deadline. Returns `.now` if the loop must not wait.
    ///
    /// The method sets `wakeup.isAwaited` under the inbox's lock, so that no post is missed (rule X2). The caller
    /// clears the flag after the wait. On a guest the flag stays set between turns, because the host waits then.
    func announceWait(_ state: LoopState, waiting: Waiting) -> PollDeadline {
        if !waiting.isAllowed(state) || state.hasWork { return .now }
        if mustStop { return .now }
        let mustNotWait = inbox.withLock { inbox in
            guard inbox.isEmpty else { return true }
            wakeup.isAwaited = true
            return false
        }
        // A stop between the check of `mustStop` and the setting of the flag has woken nothing, so check again.
        if mustNotWait { return .now }
        if endRequest.load(ordering: .sequentiallyConsistent) != .none { return .now }
        guard let first = state.timers.nextDeadline else { return .never }
        return .at(first)
    }
}
