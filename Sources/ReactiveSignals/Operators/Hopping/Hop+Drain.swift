public import ReactiveCore
public import ReactiveSupport

extension Hop {
    /// How many values one piece of work delivers before other work has its turn.
    @usableFromInline
    static var turnLimit: Int { 1024 }

    /// What the work does next.
    @usableFromInline
    enum Step {
        case deliver(Event<Value, Failure>)
        /// A value is there, and is not to be delivered now.
        case wait
        /// Nothing is queued: the work is over.
        case finish
    }

    /// Delivers what is queued; it runs as the scheduler's work, one at a time.
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
            case .wait: return isPaused ? rest() : schedule()
            case .finish: return
            }
        }
        _ = batch.takeAll()
    }

    /// Takes the next event out of the batch or the queue; a value only if `mayDeliver`.
    @inlinable
    func step(mayDeliver: Bool) -> Step {
        if !batch.isEmpty {
            guard mayDeliver, let value = batch.popFirst() else { return .wait }
            return .deliver(.value(value))
        }
        if policy == .holdBack { letGoIfHalfThrough() }
        return state.withLock { state in
            state.batched = 0
            guard let event = state.backlog.next(isPaused: !mayDeliver) else {
                if !state.backlog.isEmpty { return .wait }
                // The hop runs this, so it is not freed under the lock.
                state.work = .none
                return .finish
            }
            if policy == .holdBack, case .value = event { fillBatch(&state) }
            return .deliver(event)
        }
    }

    /// Takes more values from the queue under one lock: at most 32, and at most a quarter of the limit.
    ///
    /// A policy that drops values does not call this. Such a value stays in the queue until it is delivered, so that it counts
    /// toward the limit and can be dropped.
    @inlinable
    func fillBatch(_ state: inout State) {
        let most = min(32, max(1, limit / 4))
        state.batched = 1
        while state.batched < most, let value = state.backlog.popValue() {
            batch.append(value)
            state.batched += 1
        }
    }

    /// Resumes the source when at most half of the limit is left in the queue.
    @inlinable
    func letGoIfHalfThrough() {
        let isHalfThrough = state.withLock { state in
            state.batched = 0
            guard state.isHoldingBack, state.count * 2 <= limit else { return false }
            state.isHoldingBack = false
            return true
        }
        // The source may send before this returns: that goes into the queue.
        if isHalfThrough { input.letGo(.byQueue) }
    }

    /// Stops for a pause; the batch stays as it is, unless a failure overtakes it.
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
            // Resumed, or failed, before anybody could know that it was needed.
            wake()
        }
    }

    /// The failure behind what is queued, which is dropped, where operators alone are pausing (law 9): what waits then waits for
    /// those, and not for the scheduler.
    @inlinable
    func overtaking() -> Termination<Failure>? {
        guard state.withLock({ $0.backlog.holdsFailure }), subscription.letsFailuresPass else { return nil }
        // What is overtaken is part of the result, so that it is released outside the lock. The batch is emptied under the lock:
        // without work that is scheduled, a thread that disposes takes what is in it.
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
