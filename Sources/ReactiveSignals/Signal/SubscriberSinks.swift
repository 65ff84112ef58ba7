// SPDX-License-Identifier: MIT
public import ReactiveCore

/// The last sink of a subscription that was created with closures.
///
/// It enforces law 1 for any source: it drops events after `dispose()` and after the termination. It disposes the
/// subscription before it passes on the termination (law 6).
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

/// The last sink of a subscription that was created with an observer. It enforces the same laws as ``ClosureSink``.
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
