public import ReactiveCore

/// One observer of a broadcast, with what it has not been sent yet. It belongs to the holder of the broadcast's claim.
@usableFromInline
final class Subscriber<Value: Sendable, Failure: Error> {
    @usableFromInline
    let number: Int
    @usableFromInline
    let tie: BroadcastTie<Value, Failure>
    @usableFromInline
    let sink: Sink<Value, Failure>
    @usableFromInline
    let subscription: SignalSubscription
    @usableFromInline
    let policy: BufferPolicy

    @exclusivity(unchecked)
    @usableFromInline
    var backlog = Backlog<Value, Failure>()
    /// Whether values wait; until they are out nothing may overtake them.
    @exclusivity(unchecked)
    @usableFromInline
    var isHolding = false

    @inlinable
    init(
        _ tie: BroadcastTie<Value, Failure>,
        _ sink: Sink<Value, Failure>,
        _ subscription: SignalSubscription,
        _ policy: BufferPolicy
    ) {
        number = tie.number
        self.tie = tie
        self.sink = sink
        self.subscription = subscription
        self.policy = policy
    }

    @inlinable
    @inline(__always)
    func receive(_ value: Value) {
        if subscription.isOpen, !isHolding {
            sink.receive(value)
        } else {
            hold(value)
        }
    }

    @inlinable
    func receive(termination: Termination<Failure>) {
        if isHolding {
            backlog.append(termination: termination)
            if backlog.holdsFailure { flush() }
        } else if !subscription.isDisposed {
            sink.receive(termination: termination)
        }
    }

    @inlinable
    @inline(never)
    func hold(_ value: Value) {
        backlog.append(value)
        if subscription.isPaused, !subscription.isDisposed, backlog.count <= policy.limit {
            // Nothing goes out, nothing is dropped.
            isHolding = !backlog.isEmpty
        } else {
            flush()
        }
    }

    /// Delivers what waits, as far as the subscription lets it.
    @inlinable
    @inline(never)
    func flush() {
        while !subscription.isDisposed {
            let isPaused = subscription.isPaused
            if isPaused { _ = backlog.trim(policy) }
            guard let event = backlog.next(isPaused: isPaused) ?? overtaking() else { break }
            switch event {
            case .value(let value): sink.receive(value)
            case .ended(let termination): sink.receive(termination: termination)
            }
        }
        if subscription.isDisposed { _ = backlog.takeAll() }
        isHolding = !backlog.isEmpty
    }

    /// The failure that waits behind values, where operators alone are pausing (law 9).
    @inlinable
    func overtaking() -> Event<Value, Failure>? {
        guard backlog.holdsFailure, subscription.letsFailuresPass else { return nil }
        return backlog.takeFailure().failure
    }
}
