public import ReactiveCore

/// The last sink of a subscription made with closures.
///
/// It holds to law 1 whatever the source does: nothing comes after `dispose()`, nor after the end, and the end comes with
/// the subscription disposed (law 6).
@usableFromInline
final class ClosureSink<Value: Sendable, Failure: Error>: Sink<Value, Failure> {
    @usableFromInline
    let subscription: SignalSubscription
    @usableFromInline
    let onValue: @Sendable (Value) -> Void
    @usableFromInline
    let onTermination: @Sendable (Termination<Failure>) -> Void

    @inlinable
    init(
        _ subscription: SignalSubscription,
        _ onValue: @escaping @Sendable (Value) -> Void,
        _ onTermination: @escaping @Sendable (Termination<Failure>) -> Void
    ) {
        self.subscription = subscription
        self.onValue = onValue
        self.onTermination = onTermination
    }

    @inlinable
    override func receive(_ value: Value) {
        if !subscription.isDisposed { onValue(value) }
    }

    @inlinable
    override func receive(termination: Termination<Failure>) {
        if subscription.end() { onTermination(termination) }
    }
}

/// The last sink of a subscription made with an observer; it holds to the same.
@usableFromInline
final class ObserverSink<O: Observer>: Sink<O.Value, O.Failure> {
    @usableFromInline
    let subscription: SignalSubscription
    @usableFromInline
    let observer: O

    @inlinable
    init(_ subscription: SignalSubscription, _ observer: O) {
        self.subscription = subscription
        self.observer = observer
    }

    @inlinable
    override func receive(_ value: O.Value) {
        if !subscription.isDisposed { observer.receive(value) }
    }

    @inlinable
    override func receive(termination: Termination<O.Failure>) {
        if subscription.end() { observer.receive(termination: termination) }
    }
}
