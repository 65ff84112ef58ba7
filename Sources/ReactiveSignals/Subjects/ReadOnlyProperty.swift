// SPDX-License-Identifier: MIT
public import ReactiveCore

/// A property that can be read and observed, but not set: a view of a ``Property``, or one derived from other
/// properties.
///
/// A view does not retain its ``Property``. After that ``Property`` has been released, the view keeps the last value,
/// and its signal completes. A property derived by an operator, such as ``map(_:)``, stores no value. Each read
/// computes the value from the other properties. Any thread may read and observe.
public struct ReadOnlyProperty<Value: Sendable>: SignalSource, Sendable {
    /// A property cannot fail.
    public typealias Failure = Never

    @usableFromInline
    let read: @Sendable () -> Value

    /// Sends the current value, then each new one, and completes when the underlying ``Property`` is released. A later
    /// subscriber receives the last value and the completion.
    public let signal: Signal<Value, Never>

    @inlinable
    package init(_ read: @escaping @Sendable () -> Value, _ signal: Signal<Value, Never>) {
        self.read = read
        self.signal = signal
    }

    /// Creates a property that does not change. Its signal sends `value` and completes.
    @inlinable
    public init(value: Value) {
        self.init({ value }, .just(value))
    }

    /// Creates a property with the value `initial`, then the latest value of `changes`.
    ///
    /// It subscribes to `changes` immediately. It disposes that subscription when no copy of the property and no
    /// subscription to its signal is left. When `changes` completes, so does the property's signal, and the value
    /// stays.
    public init(initial: Value, then changes: Signal<Value, Never>) {
        let core = PropertyCore(initial)
        let subscription = SignalSubscription()
        let owner = ScopedDisposable(subscription)
        self.init(
            { withExtendedLifetime(owner) { core.value } },
            Signal(start: { sink, observing in
                // Each observer retains the owner.
                observing.onDispose { withExtendedLifetime(owner) {} }
                core.subscribe(sink, observing)
            })
        )
        changes.relay(in: subscription, { core.set($0) }, { _ in if subscription.end() { core.end() } })
    }

    /// The latest value. A read never waits for an observer ([law 4](doc:LawsOfSignals)).
    @inlinable
    public var value: Value { read() }

    /// Sends events to `observer` until the signal completes or `subscription` is disposed.
    @inlinable
    public func subscribe<O: Observer>(_ observer: O, in subscription: some Subscription)
    where O.Value == Value, O.Failure == Never {
        signal.subscribe(observer, in: subscription)
    }
}
