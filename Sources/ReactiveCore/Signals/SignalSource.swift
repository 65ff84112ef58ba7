// SPDX-License-Identifier: MIT
/// A source of values that observers can subscribe to.
public protocol SignalSource<Value, Failure>: Sendable {
    /// The type of the values.
    associatedtype Value: Sendable
    /// The type of the errors. `Never` means that the source cannot fail.
    associatedtype Failure: Error

    /// Subscribes `observer`. Sends events to it until the source terminates or `subscription` is disposed.
    ///
    /// The source may send before this call returns. It sends no values while `subscription` is paused (law 11). If it
    /// owns resources for the observer, it releases them in a teardown that it adds with
    /// ``Subscription/onDispose(_:)``.
    func subscribe<O: Observer>(_ observer: O, in subscription: some Subscription)
    where O.Value == Value, O.Failure == Failure
}
