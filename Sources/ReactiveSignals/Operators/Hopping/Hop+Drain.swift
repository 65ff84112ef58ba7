public import ReactiveCore
public import ReactiveSupport

extension Hop {
    /// How many values one piece of work delivers before other work has its turn.
    @usableFromInline
    static var turnLimit: Int { 1024 }

    /// Delivers what is queued, with a source that is held back; it runs as the scheduler's work, one at a time.
    @inlinable
    func drain() {
        var delivered = 0
        while !subscription.isDisposed {
            if batch.isEmpty, !refill() { return }
            guard let event = batch.first else { continue }
            switch event {
            case .value(let value):
                if subscription.isPaused { return rest() }
                if delivered == Hop.turnLimit { return schedule() }
                delivered += 1
                _ = batch.popFirst()
                next.receive(value)
            case .ended(let termination):
                _ = batch.popFirst()
                next.receive(termination: termination)
            }
        }
        _ = batch.takeAll()
    }

    /// Delivers what is queued where values may be dropped: each stays in the queue until it is delivered, so that those
    /// which wait for a resume or for the next turn count, and may be dropped. It runs as the scheduler's work too.
    @inlinable
    func drainSingly() {
        var delivered = 0
        while !subscription.isDisposed {
            let (isPaused, isTurnOver) = (subscription.isPaused, delivered == Hop.turnLimit)
            let (event, isEmpty) = state.withLock { state -> (Event<Value, Failure>?, Bool) in
                switch state.queue.first {
                case nil:
                    state.isScheduled = false
                    state.anchor = nil
                    return (nil, true)
                case .value where isPaused || isTurnOver: return (nil, false)
                default: return (state.queue.popFirst(), false)
                }
            }
            switch event {
            case .value(let value):
                delivered += 1
                next.receive(value)
            case .ended(let termination): next.receive(termination: termination)
            case nil:
                if isEmpty { return }
                return isPaused ? rest() : schedule()
            }
        }
    }

    /// Takes the next few from the queue; false if there is nothing, and then the work is over.
    ///
    /// Few enough that the limit means something.
    @inlinable
    func refill() -> Bool {
        let most = min(32, max(1, limit / 4))
        let isHalfThrough = state.withLock { state in
            state.batched = 0
            guard state.isHoldingBack, state.count * 2 <= limit else { return false }
            state.isHoldingBack = false
            return true
        }
        // The source may send before this returns: that goes into the queue.
        if isHalfThrough { input.letGo(.byQueue) }
        return state.withLock { state in
            while state.batched < most,
                let event = state.queue.popFirst()
            {
                batch.append(event)
                state.batched += 1
            }
            state.isScheduled = state.batched > 0
            if !state.isScheduled { state.anchor = nil }
            return state.isScheduled
        }
    }

    /// Stops for a pause; the batch stays as it is, unless a failure overtakes it.
    @inlinable
    func rest() {
        if let failure = overtaking() { return next.receive(termination: failure) }
        let end = state.withLock { state in
            state.isScheduled = false
            state.anchor = Confined(self)
            return state.end
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
        guard state.withLock({ $0.end == .failure }), subscription.letsFailuresPass else { return nil }
        // What is overtaken is part of the result, so that it is released outside the lock. The batch is emptied under the lock:
        // without work that is scheduled, a thread that disposes takes what is in it.
        let (events, _) = state.withLock { state -> ([Event<Value, Failure>], Confined<Hop>?) in
            state.batched = 0
            state.isScheduled = false
            return (batch.takeAll() + state.queue.takeAll(), state.anchor.take())
        }
        if case .ended(let failure) = events.last { return failure }
        return nil
    }
}
