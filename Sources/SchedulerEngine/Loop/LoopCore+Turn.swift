import ReactiveCore
import ReactiveSupport
import Synchronization

/// One turn: work, descriptors, timers.
extension LoopCore {
    /// At most this many pieces of work run before descriptors and timers get their turn (rules S6–S10).
    private static let workPerTurn = 4096

    /// Whether a turn waits for descriptors and timers once its work is done. It is asked after the work: that may have been
    /// the last there was, or all that the caller wanted.
    enum Waiting {
        case no, always, whileAlive
        /// Until a callback has run, where so many had before.
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
        takeFromInbox(state)
        let firstNewTimer = state.nextTimer
        if state.hasWork {
            mark.run { runWork(state) }
            // Rule R2: what is left is kept. Rule R4: in the one turn after an early stop the flag is not yet set.
            if mustStop { return }
        }
        if try !spin(state, waiting) {
            let deadline = nextDeadline(state, waiting: waiting)
            defer { wakeup.isAwaited = false }
            try wait(state, until: deadline)
        }
        if !state.batch.isEmpty {
            // A stop that has ended the wait comes before what was ready by then (rule R2).
            if !mustStop { mark.run { dispatch(state) } }
            state.batch.removeAll()
            if mustStop { return }
        }
        if !state.timers.isEmpty { mark.run { fireTimers(state, before: firstNewTimer) } }
    }

    /// Where the loop has a limit for it, looks for something to do before it waits. True where that was the wait: descriptors
    /// are ready and in the batch, or a timer is due. Else the wait follows, and does not last where work has come.
    @inline(__always)
    private func spin(_ state: LoopState, _ waiting: Waiting) throws(LoopError) -> Bool {
        let limit = spinLimit.load(ordering: .relaxed)
        if limit == 0 || state.hasWork || !waiting.isAllowed(state) { return false }
        return try spin(state, for: limit)
    }

    @inline(never)
    private func spin(_ state: LoopState, for limit: Int64) throws(LoopError) -> Bool {
        let begin = clock.now
        while !mustStop, inbox.withLock({ inbox in inbox.isEmpty }) {
            try wait(state, until: .now)
            if !state.batch.isEmpty { return true }
            let now = clock.now
            if let first = state.timers.nextDeadline, first <= now { return true }
            if now.nanoseconds - begin.nanoseconds >= limit { return false }
        }
        return false
    }

    /// What runs inside the wait are callbacks of C code on the library's own loop: the loop's work like any other.
    private func wait(_ state: LoopState, until deadline: PollDeadline) throws(LoopError) {
        state.poll = .waiting
        defer { state.poll = .idle }
        try mark.run { () throws(LoopError) in
            try state.poller.wait(until: deadline) { token, readiness in
                if token != Token.wake { state.collect(token, readiness) } else { wakeup.descriptor.clear() }
            }
        }
    }

    func takeFromInbox(_ state: LoopState) {
        // Work left over from an earlier turn stays ahead of work posted since.
        inbox.withLock { inbox in inbox.move(to: state.work, timerChanges: &state.timerChanges) }
        guard !state.timerChanges.isEmpty else { return }
        // The loop's work: what a timer's end releases may have a `deinit` that asks which scheduler it is on.
        mark.run { takeTimerChanges(state) }
    }

    private func takeTimerChanges(_ state: LoopState) {
        for change in state.timerChanges {
            switch change {
            case .arm(let entry): if entry.receive() { state.arm(entry) }
            case .disarm(let entry): state.disarm(entry)
            }
        }
        state.timerChanges.removeAll(keepingCapacity: state.timerChanges.count <= Self.workPerTurn)
    }

    private func runWork(_ state: LoopState) {
        let queue = state.work
        var left = Self.workPerTurn
        // The `deinit` of what a disposed timer held may have disposed the loop since the turn began (rule D4).
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

    /// When to stop waiting. Before a wait the flag goes up under the inbox's lock, so that no post is missed (rule X2).
    func nextDeadline(_ state: LoopState, waiting: Waiting) -> PollDeadline {
        if !waiting.isAllowed(state) || state.hasWork { return .now }
        if mustStop { return .now }
        let mustNotWait = inbox.withLock { inbox in
            guard inbox.isEmpty else { return true }
            wakeup.isAwaited = true
            return false
        }
        // A stop between the check above and the flag found nobody waiting and woke nobody.
        if mustNotWait { return .now }
        if endRequest.load(ordering: .sequentiallyConsistent) != .none { return .now }
        guard let first = state.timers.nextDeadline else { return .never }
        return .at(first)
    }
}
