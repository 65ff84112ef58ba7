/// Something that can be observed.
public protocol SignalSource<Value, Failure>: Sendable {
    /// What it sends.
    associatedtype Value: Sendable
    /// Why it may break off; `Never` where it cannot.
    associatedtype Failure: Error

    /// Starts sending to `observer`, until it has sent the end or `subscription` is disposed, and waiting while that is
    /// paused.
    ///
    /// A source that holds something for the observer registers how to let go of it with `subscription.onDispose`. It may
    /// send before this returns.
    func subscribe<O: Observer>(_ observer: O, in subscription: some Subscription)
    where O.Value == Value, O.Failure == Failure
}
