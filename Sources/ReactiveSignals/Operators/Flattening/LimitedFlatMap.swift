public import ReactiveCore
public import ReactiveSupport

/// `flatMap` that subscribes to a few at a time.
///
/// Starting is done by whoever holds the claim, one after the other in a loop: signals that end at once follow one another
/// without recursion (law 8). Only the source's side takes a hold on the source, before the value is queued, and only the
/// holder of the claim gives it back, after: so the two are never out of step.
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
        let isLast = state.withLock { !$0.isHoldingBack && $0.running + $0.waiting.count + 1 >= limit }
        if isLast {
            outer.hold()
            state.withLock { $0.isHoldingBack = true }
        }
        merge.expectOneMore()
        state.withLock { $0.waiting.append(value) }
        proceed()
    }

    @inlinable
    func innerEnded(_ input: SignalSubscription, _ termination: Termination<Failure>) {
        guard input.end() else { return }
        switch termination {
        case .completed: innerEnded()
        case .failed(let failure): merge.fail(failure)
        }
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
        var seen = 1
        repeat {
            while let value = next() {
                let signal = transform(value)
                if let scalar = signal.scalar, merge.inputs.isOpen {
                    merge.take(scalar)
                    state.withLock { $0.running -= 1 }
                    merge.inputEnded()
                    continue
                }
                let input = merge.inputs.makeChild()
                // What is over starts nothing, whatever the source would do.
                guard !input.isDisposed else { continue }
                signal.start(
                    RelaySink({ [gate = merge.gate] in gate.send($0) }, { self.innerEnded(input, $0) }),
                    input
                )
            }
            letGo()
        } while !claim.release(&seen)
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
            guard state.isHoldingBack, state.running + state.waiting.count < limit else { return false }
            state.isHoldingBack = false
            return true
        }
        if isDue { outer.letGo() }
    }
}
