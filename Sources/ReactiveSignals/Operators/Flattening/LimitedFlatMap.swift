public import ReactiveCore
public import ReactiveSupport

/// `flatMap` that subscribes to a few at a time.
///
/// Starting is done by whoever holds the claim, one after the other in a loop: signals that end at once follow one another
/// without recursion (law 8). Only the source's side takes a hold on the source, and looks after that whether it is still needed;
/// only the holder of the claim gives back one that is: so the two are never out of step.
@usableFromInline
final class LimitedFlatMap<Value: Sendable, New: Sendable, Failure: Error> {
    @usableFromInline
    struct State: Sendable {
        @usableFromInline
        var running = 0
        @usableFromInline
        var waiting = FIFO<Value>()
        @usableFromInline
        var isHoldingBack = false

        @inlinable
        init() {}
    }

    @usableFromInline
    let merge: Merge<New, Failure>
    @usableFromInline
    let outer: SignalSubscription
    @usableFromInline
    let limit: Int
    @usableFromInline
    let transform: @Sendable (Value) -> Signal<New, Failure>
    @usableFromInline
    let state = Lock(State())
    @usableFromInline
    let claim = DrainClaim()

    @inlinable
    init(
        _ merge: Merge<New, Failure>,
        _ outer: SignalSubscription,
        _ limit: Int,
        _ transform: @escaping @Sendable (Value) -> Signal<New, Failure>
    ) {
        self.merge = merge
        self.outer = outer
        self.limit = limit
        self.transform = transform
    }

    @inlinable
    func receive(_ value: Value) {
        guard !outer.isDisposed else { return }
        // One that waits counts as one that may still send, so that the end waits for it.
        merge.expectOneMore()
        state.withLock { $0.waiting.append(value) }
        proceed()
        // Not before: a signal that has ended already holds nothing back, and a pause lets a failure pass (law 9).
        guard state.withLock({ !$0.isHoldingBack && isFull($0) }) else { return }
        outer.hold(.byOperator)
        // Another thread may have ended one meanwhile: then the hold is not for anybody.
        let isObsolete = state.withLock { state in
            state.isHoldingBack = isFull(state)
            return !state.isHoldingBack
        }
        if isObsolete { outer.letGo(.byOperator) }
    }

    /// Whether the source is to be held back; to be called under the lock.
    @inlinable
    func isFull(_ state: State) -> Bool { state.running + state.waiting.count >= limit }

    @inlinable
    func innerEnded(_ input: SignalSubscription, _ termination: Termination<Failure>) {
        guard input.end() else { return }
        switch termination {
        case .completed: innerEnded()
        case .failed(let failure): fail(failure)
        }
    }

    @inlinable
    func outerEnded(_ termination: Termination<Failure>) {
        guard outer.end() else { return }
        switch termination {
        case .completed: merge.inputEnded()
        case .failed(let failure): fail(failure)
        }
    }

    /// Fails at once: the values whose turn has not come are released first (laws 6 and 9).
    @inlinable
    func fail(_ failure: Failure) {
        merge.inputs.dispose()
        proceed()
        merge.fail(failure)
    }

    @inlinable
    func innerEnded() {
        state.withLock { $0.running -= 1 }
        merge.inputEnded()
        proceed()
    }

    /// Starts what may be started, unless somebody is doing so: that one goes on then.
    @inlinable
    func proceed() {
        guard claim.announce() else { return }
        claim.drain {
            while let value = next() {
                let signal = transform(value)
                if let scalar = signal.scalar {
                    merge.take(scalar)
                    state.withLock { $0.running -= 1 }
                    merge.inputEnded()
                    continue
                }
                let input = merge.inputs.makeChild()
                // What is over starts nothing, whatever the source would do.
                guard !input.isDisposed else { continue }
                signal.start(
                    RelaySink(
                        { [serializer = merge.serializer] in serializer.send($0) },
                        { self.innerEnded(input, $0) }
                    ),
                    input
                )
            }
            letGo()
        }
    }

    @inlinable
    func next() -> Value? {
        if merge.inputs.isDisposed {
            _ = state.withLock { $0.waiting.takeAll() }
            return nil
        }
        return state.withLock { state in
            guard state.running < limit, let value = state.waiting.popFirst() else { return nil }
            state.running += 1
            return value
        }
    }

    /// Lets the source go on if there is room. It may send before this returns: that is queued, and announced.
    @inlinable
    func letGo() {
        let isDue = state.withLock { state in
            guard state.isHoldingBack, !isFull(state) else { return false }
            state.isHoldingBack = false
            return true
        }
        if isDue { outer.letGo(.byOperator) }
    }
}
