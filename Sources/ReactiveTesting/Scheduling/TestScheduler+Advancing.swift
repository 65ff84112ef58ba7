// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

extension TestScheduler {
    /// Runs all work that is due within `duration` from now, in order, and moves the clock on by `duration`.
    ///
    /// Zero runs the work that is due at the current instant. A negative duration traps.
    ///
    /// - Throws: ``TestSchedulerError`` if work is still due after `limit` items. The clock then stays at the deadline
    ///   of the last one.
    public func advance(by duration: Duration, limit: Int = 1_000_000) throws(TestSchedulerError) {
        try advance(to: now + duration, limit: limit)
    }

    /// Runs all work that is due by `target`, in order, and sets the clock to `target`. A `target` before ``now``
    /// traps.
    ///
    /// - Throws: ``TestSchedulerError`` if work is still due after `limit` items. The clock then stays at the deadline
    ///   of the last one.
    public func advance(to target: LoopInstant, limit: Int = 1_000_000) throws(TestSchedulerError) {
        require(target >= now, "virtual time does not go back: \(target) is before \(now)")
        try run(by: target, limit: limit)
        state.withLock { $0.now = max($0.now, target) }
    }

    /// Runs all work, including the work that it submits, until none is left. The clock stays at the last deadline.
    ///
    /// A repeating timer never ends: pass a `limit`, or use ``advance(by:limit:)``. Work for `distantFuture` never
    /// runs, and does not count as left.
    ///
    /// - Throws: ``TestSchedulerError`` if work is left after `limit` items.
    public func run(limit: Int = 100_000) throws(TestSchedulerError) {
        try run(by: .distantFuture, limit: limit)
    }

    /// Runs the next item of work, and moves the clock to its deadline. Returns false if no work waits.
    @discardableResult
    public func step() -> Bool {
        begin()
        defer { end() }
        return runNext(by: .distantFuture)
    }

    private func run(by target: LoopInstant, limit: Int) throws(TestSchedulerError) {
        begin()
        defer { end() }
        var steps = 0
        while steps < limit {
            if !runNext(by: target) { return }
            steps += 1
        }
        let (next, count) = state.withLock { ($0.waiting.last?.position.deadline, $0.waiting.count) }
        guard let next, next <= target, next < .distantFuture else { return }
        throw TestSchedulerError(limit: limit, now: now, next: next, waiting: count)
    }

    /// Runs the first item of work that is due by `target`. Work for `distantFuture` is never due.
    private func runNext(by target: LoopInstant) -> Bool {
        let work = state.withLock { state -> TestWork? in
            guard let next = state.waiting.last, next.position.deadline <= target,
                next.position.deadline < .distantFuture
            else { return nil }
            state.now = max(state.now, next.position.deadline)
            return state.waiting.removeLast()
        }
        guard let work else { return false }
        mark.run { work.run() }
        if let repetition = work.repetition, !work.isDisposed {
            _ = insert(work, at: repetition.next(after: work.position.requested, now: now))
            // Another thread disposed it before `insert`, and so did not find it in the list.
            if work.isDisposed { remove(work) }
        }
        return true
    }

    private func begin() {
        let isNested = state.withLock { state in
            defer { state.isAdvancing = true }
            return state.isAdvancing
        }
        require(
            !isNested,
            "this TestScheduler is already advancing: do not advance it in its own work or on two threads at once"
        )
    }

    private func end() {
        state.withLock { $0.isAdvancing = false }
    }
}

extension Repetition {
    /// The deadline after `deadline`, for work that has returned at `now`. One firing replaces all missed ones.
    fileprivate func next(after deadline: LoopInstant, now: LoopInstant) -> LoopInstant {
        guard interval > .zero else { return now }
        if base == .delay { return now + interval }
        let following = deadline + interval
        if following >= now { return following }
        let (step, late) = (interval.saturatedNanoseconds, (now - following).saturatedNanoseconds)
        return following + .nanoseconds(late / step * step)
    }
}
