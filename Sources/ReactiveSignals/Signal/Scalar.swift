public import ReactiveCore

/// What a signal sends that is over as soon as it begins: one value and the completion, or only an end.
///
/// An operator that subscribes to signals as they come asks for it, and takes what there is without a subscription.
@usableFromInline
final class Scalar<Value: Sendable, Failure: Error>: Sendable {
    /// The value, or the end.
    @usableFromInline
    let event: Event<Value, Failure>

    @inlinable
    init(_ event: Event<Value, Failure>) {
        self.event = event
    }

    /// Sends it to a subscriber.
    @inlinable
    func start(_ sink: Sink<Value, Failure>, _ subscription: SignalSubscription) {
        switch event {
        case .value(let value):
            if subscription.isOpen {
                sink.receive(value)
                // An end with no value waiting need not wait itself.
                sink.receive(termination: .completed)
            } else {
                SequenceSource.start(CollectionOfOne(value), sink, subscription)
            }
        case .ended(let termination): sink.receive(termination: termination)
        }
    }
}
