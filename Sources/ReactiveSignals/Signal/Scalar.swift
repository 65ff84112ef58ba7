// SPDX-License-Identifier: MIT
public import ReactiveCore

/// The event of a signal that terminates as soon as it starts: one value and the completion, or only a termination.
///
/// An operator with inner signals, such as `flatMap`, sends this event itself instead of subscribing.
@usableFromInline
final class Scalar<Value: Sendable, Failure: Error>: Sendable {
    /// Either the value, after which the signal completes, or the termination.
    @usableFromInline
    let event: Event<Value, Failure>

    @inlinable
    init(_ event: Event<Value, Failure>) {
        self.event = event
    }

    /// Sends the event to a subscriber.
    @inlinable
    func start(_ sink: Sink<Value, Failure>, _ subscription: SignalSubscription) {
        switch event {
        case .value(let value):
            if subscription.acceptsValues {
                sink.receive(value)
                // No value waits, so the completion need not wait for the end of a pause.
                sink.receive(termination: .completed)
            } else {
                SequenceSource.start(CollectionOfOne(value), sink, subscription)
            }
        case .ended(let termination): sink.receive(termination: termination)
        }
    }
}
