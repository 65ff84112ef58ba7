/// A source of values that observers can subscribe to.
public protocol SignalSource<Value, Failure>: Sendable {
    /// The type of the values.
    associatedtype Value: Sendable
    /// The type of the failure; `Never` if the source cannot fail.
    associatedtype Failure: Error

    /// Starts sending to `observer`. Sending stops at the termination, or when `subscription` is disposed. It pauses while
    /// `subscription` is paused.
    ///
    /// A source that retains something for the observer releases it in `subscription.onDispose`. It may send before this method
    /// returns.
    func subscribe<O: Observer>(_ observer: O, in subscription: some Subscription)
    where O.Value == Value, O.Failure == Failure
}
