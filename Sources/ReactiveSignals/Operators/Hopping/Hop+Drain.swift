// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

extension Hop {
    /// The number of values that one job delivers before it yields to other work.
    @usableFromInline
    static var turnLimit: Int { 1024 }

    /// The next action of the job.
    @usableFromInline
    enum Step {
        case deliver(Event<Value, Failure>)
        /// A value is queued but must not be delivered now.
        case wait
        /// The queue is empty, so the job ends.
        case finish
    }

    /// Delivers the queued events. Runs as work of the scheduler, one job at a time.
    @inlinable
    func drain() {
        var delivered = 0
        while !subscription.isDisposed {
            let isPaused = subscription.isPaused
            switch step(mayDeliver: !isPaused && delivered < Hop.turnLimit) {
            case .deliver(.value(let value)):
                delivered += 1
                next.receive(value)
            case .deliver(.ended(let termination)): next.receive(termination: termination)
            case .wait:
                if isPaused { return rest() }
                let hop = UnsafeTransfer(self)
                return scheduler.executeLater { hop.value.drain() }
            case .finish: return
            }
        }
        _ = batch.takeAll()
    }

    /// Removes the next event from the batch or the queue. Removes a value only if `mayDeliver`.
    @inlinable
    func step(mayDeliver: Bool) -> Step {
        if !batch.isEmpty {
            guard mayDeliver, let value = batch.popFirst() else { return .wait }
            return .deliver(.value(value))
        }
        if policy == .pauseSource { resumeIfHalfEmpty() }
        return state.withLock { state in
            state.batched = 0
            guard let event = state.backlog.next(isPaused: !mayDeliver) else {
                if !state.backlog.isEmpty { return .wait }
                // The running job keeps the hop alive, so this does not free it under the lock.
                state.work = .none
                return .finish
            }
            if policy == .pauseSource, case .value = event { fillBatch(&state) }
            return .deliver(event)
        }
    }

    /// Moves more values from the queue to the batch under one lock: at most 32, and at most a quarter of the limit.
    ///
    /// Called for `.pauseSource` only. With the other policies, a value stays queued until it is delivered, so it
    /// counts toward the limit and can be dropped.
    @inlinable
    func fillBatch(_ state: inout State) {
        let most = min(32, max(1, limit / 4))
        state.batched = 1
        while state.batched < most, let value = state.backlog.popValue() {
            batch.append(value)
            state.batched += 1
        }
    }

    /// Resumes the source when at most half of the limit is still queued.
    @inlinable
    func resumeIfHalfEmpty() {
        let isHalfThrough = state.withLock { state in
            state.batched = 0
            guard state.hasPausedSource, state.count * 2 <= limit else { return false }
            state.hasPausedSource = false
            return true
        }
        // The source may send before this call returns. Such values are queued.
        if isHalfThrough { input.removePause(.byQueue) }
    }

    /// Stops for a pause and keeps the batch, unless a failure overtakes it.
    @inlinable
    func rest() {
        if let failure = overtaking() { return next.receive(termination: failure) }
        let end = state.withLock { state in
            state.work = .paused(UnsafeTransfer(self))
            return state.backlog.end
        }
        if subscription.isDisposed {
            discard()
        } else if !subscription.isPaused || end == .failure && subscription.letsFailuresPass {
            // The resume or the failure happened before `work` was set to `paused`.
            wake()
        }
    }

    /// Drops the queue and returns the failure behind it, if only operators pause the subscription (law 9).
    ///
    /// In that state the queued values wait until the operators resume, not until the scheduler runs. Returns `nil` if
    /// no failure is queued, or if a subscriber pauses.
    @inlinable
    func overtaking() -> Termination<Failure>? {
        guard state.withLock({ $0.backlog.holdsFailure }), subscription.letsFailuresPass else { return nil }
        // Returned from the closure, so the dropped values are released outside the lock. The batch is emptied under
        // the lock: while no job is scheduled, a disposing thread may empty it too.
        let (failure, _, _) = state.withLock { state -> (Event<Value, Failure>?, [Event<Value, Failure>], [Value]) in
            state.batched = 0
            state.work = .none
            let (failure, overtaken) = state.backlog.takeFailure()
            return (failure, overtaken, batch.takeAll())
        }
        if case .ended(let failure) = failure { return failure }
        return nil
    }
}
