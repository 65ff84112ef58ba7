public import ReactiveCore

/// A property as those see it who may read and observe it, but not set it.
///
/// It does not keep the property: when that has gone the value stays what it was, and the signal completes.
public struct ReadOnlyProperty<Value: Sendable>: SignalSource, Sendable {
    /// It cannot fail.
    public typealias Failure = Never

    @usableFromInline
    let core: PropertyCore<Value>

    @inlinable
    init(_ core: PropertyCore<Value>) {
        self.core = core
    }

    /// The latest value set; reading never waits for an observer (law 4).
    @inlinable
    public var value: Value { core.value }

    /// The present value, then each new one; after the property has gone, the last value and the end.
    @inlinable
    public var signal: Signal<Value, Never> {
        Signal(start: { [core] sink, subscription in core.subscribe(sink, subscription) })
    }

    /// Starts sending to `observer`, until the end or until `subscription` is disposed.
    @inlinable
    public func subscribe<O: Observer>(_ observer: O, in subscription: some Subscription)
    where O.Value == Value, O.Failure == Never {
        signal.subscribe(observer, in: subscription)
    }
}
