// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Calls closures for the events of each subscription, before each event is passed on unchanged
    /// ([law 10](doc:LawsOfSignals)).
    ///
    /// The closures run on the thread of the event. Values that the source buffers during a pause reach the closures
    /// after the pause.
    ///
    /// - Parameters:
    ///   - onSubscribe: Called before the source starts.
    ///   - onValue: Called for each value.
    ///   - onTermination: Called on completion or failure, but not on disposal or after it.
    ///   - onDispose: Called once when the subscription is disposed or has terminated, after `onTermination`.
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
        // The source may terminate without noticing that the subscriber has disposed the subscription (law 1).
        if subscription.isDisposed { return }
        onTermination(termination)
        next.receive(termination: termination)
    }
}
