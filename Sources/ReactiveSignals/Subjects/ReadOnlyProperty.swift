public import ReactiveCore

/// A property as those see it who may read and observe it, but not set it; also what is made of other properties.
///
/// A view of a ``Property`` does not keep it: when that has gone the value stays what it was, and the signal completes. One
/// that is made of others by ``map(_:)`` and its like has no value of its own: reading it reads them and computes, so it is
/// never behind them.
public struct ReadOnlyProperty<Value: Sendable>: SignalSource, Sendable {
    /// It cannot fail.
    public typealias Failure = Never

    @usableFromInline
    let read: @Sendable () -> Value

    /// The present value, then each new one; after the property has gone, the last value and the end.
    public let signal: Signal<Value, Never>

    @inlinable
    package init(_ read: @escaping @Sendable () -> Value, _ signal: Signal<Value, Never>) {
        self.read = read
        self.signal = signal
    }

    /// Makes a property that does not change: its signal sends `value` and completes.
    @inlinable
    public init(value: Value) {
        self.init({ value }, .just(value))
    }

    /// Makes a property that has the value `initial` until `changes` sends another one, from now on.
    ///
    /// `changes` is subscribed to at once, and disposed when the last copy of the property and its last observer have gone.
    /// When it completes the signal does, and the value stays.
    public init(initial: Value, then changes: Signal<Value, Never>) {
        let core = PropertyCore(initial)
        let subscription = SignalSubscription()
        let owner = ScopedDisposable(subscription)
        self.init(
            { withExtendedLifetime(owner) { core.value } },
            Signal(start: { sink, observing in
                // Who observes keeps it.
                observing.onDispose { withExtendedLifetime(owner) {} }
                core.subscribe(sink, observing)
            })
        )
        changes.relay(in: subscription, { core.set($0) }, { _ in core.end() })
    }

    /// The latest value set; reading never waits for an observer (law 4).
    @inlinable
    public var value: Value { read() }

    /// Starts sending to `observer`, until the end or until `subscription` is disposed.
    @inlinable
    public func subscribe<O: Observer>(_ observer: O, in subscription: some Subscription)
    where O.Value == Value, O.Failure == Never {
        signal.subscribe(observer, in: subscription)
    }
}
