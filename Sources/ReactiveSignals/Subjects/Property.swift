// SPDX-License-Identifier: MIT
public import ReactiveCore

/// A value that can be read, set and observed.
///
/// Any thread may read and set it, even from inside an observer. A read returns the latest value and never waits for an
/// observer. The value that is set last is also the last one that every observer receives ([law 4](doc:LawsOfSignals)).
///
/// An observer receives the current value first and then each new one, even if it equals the last. For a paused
/// observer, only the latest value is kept. A new observer receives its first value before `subscribe` returns.
/// Exception: if another delivery of the property is under way, the new observer receives its first value right
/// after it. Releasing the property completes its signal.
public final class Property<Value: Sendable>: SignalSource, Sendable {
    /// A property cannot fail.
    public typealias Failure = Never

    @usableFromInline
    let core: PropertyCore<Value>

    /// Creates a property.
    ///
    /// - Parameters:
    ///   - value: The first value.
    ///   - limit: The maximum number of values that wait while another value is being delivered. Beyond the limit, the
    ///     oldest are dropped. Every observer still receives the latest value last. Less than one counts as one.
    @inlinable
    public init(_ value: Value, limit: Int = .max) {
        core = PropertyCore(value, limit: limit)
    }

    deinit { core.end() }

    /// The latest value. The setter delivers the new value before it returns, unless another delivery is under way.
    @inlinable
    public var value: Value {
        get { core.value }
        set { core.set(newValue) }
    }

    /// The current value, then each new one. It completes when the property is released, and does not retain the
    /// property.
    @inlinable
    public var signal: Signal<Value, Never> {
        Signal(start: { [core] sink, subscription in core.subscribe(sink, subscription) })
    }

    /// A view of the property that cannot set it and does not retain it.
    @inlinable
    public var readOnly: ReadOnlyProperty<Value> {
        let core = core
        return ReadOnlyProperty({ core.value }, signal)
    }

    /// Changes the value atomically: no value that another thread sets is lost.
    ///
    /// No lock is held during `change` ([law 3](doc:LawsOfSignals)). If another thread or `change` itself sets the
    /// value during the call, `change` is called again with the new value. So it should have no side effects. The
    /// result is delivered like a value that is set.
    @inlinable
    public func modify(_ change: (inout Value) -> Void) {
        while true {
            var (value, version) = core.versioned
            change(&value)
            if core.set(value, ifStill: version) { return }
        }
    }

    /// Sends events to `observer` until the signal completes or `subscription` is disposed.
    @inlinable
    public func subscribe<O: Observer>(_ observer: O, in subscription: some Subscription)
    where O.Value == Value, O.Failure == Never {
        signal.subscribe(observer, in: subscription)
    }
}
