public import ReactiveCore

extension Signal {
    /// Calls closures for what happens, without changing it: once per subscription (law 10), before it is passed on.
    ///
    /// `onDispose` is called when the subscription ends, by disposal or with the signal; it is called after
    /// `onTermination`, which a disposal does not cause, and which is not called after one. `onSubscribe` is called before
    /// the source starts.
    @inlinable
    public func handleEvents(
        onSubscribe: (@Sendable () -> Void)? = nil,
        onValue: (@Sendable (Value) -> Void)? = nil,
        onTermination: (@Sendable (Termination<Failure>) -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Signal {
        Signal(start: { [start] sink, subscription in
            onSubscribe?()
            if let onDispose { subscription.onDispose(onDispose) }
            guard onValue != nil || onTermination != nil else { return start(sink, subscription) }
            start(HandleEventsSink(sink, subscription, onValue ?? { _ in }, onTermination ?? { _ in }), subscription)
        })
    }
}

@usableFromInline
final class HandleEventsSink<Value: Sendable, Failure: Error>: Sink<Value, Failure> {
    @usableFromInline
    let next: Sink<Value, Failure>
    @usableFromInline
    let subscription: SignalSubscription
    @usableFromInline
    let onValue: @Sendable (Value) -> Void
    @usableFromInline
    let onTermination: @Sendable (Termination<Failure>) -> Void

    @inlinable
    init(
        _ next: Sink<Value, Failure>,
        _ subscription: SignalSubscription,
        _ onValue: @escaping @Sendable (Value) -> Void,
        _ onTermination: @escaping @Sendable (Termination<Failure>) -> Void
    ) {
        self.next = next
        self.subscription = subscription
        self.onValue = onValue
        self.onTermination = onTermination
    }

    @inlinable
    override func receive(_ value: Value) {
        onValue(value)
        next.receive(value)
    }

    @inlinable
    override func receive(termination: Termination<Failure>) {
        // The source may not have looked since its last value, in which the subscription was disposed (law 1).
        if subscription.isDisposed { return }
        onTermination(termination)
        next.receive(termination: termination)
    }
}
