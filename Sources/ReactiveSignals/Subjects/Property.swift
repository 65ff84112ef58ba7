public import ReactiveCore

/// A value that can be read, set and observed.
///
/// Any thread may read and set it, also from inside an observer: reading gives the latest value set, never waits for an
/// observer, and the latest value is the last one that every observer sees (law 4). An observer gets the present value
/// first and then each new one, equal to the last or not; while it is paused it keeps only the latest (law 11). A new observer
/// gets its first value before `subscribe` returns, unless another delivery of the same property is under way, here or on
/// another thread: then right after that. Letting go of the property completes its signal.
public final class Property<Value: Sendable>: SignalSource, Sendable {
    /// It cannot fail.
    public typealias Failure = Never

    @usableFromInline
    let core: PropertyCore<Value>

    /// Makes a property.
    ///
    /// Up to `limit` values, set from inside an observer or by other threads, wait for a delivery that is under way; then
    /// the oldest are left out, and the latest is still the last one that everybody sees. Less than one counts as one.
    @inlinable
    public init(_ value: Value, limit: Int = .max) {
        core = PropertyCore(value, limit: limit)
    }

    deinit { core.end() }

    /// The latest value set. Setting it delivers before it returns, unless another delivery is under way.
    @inlinable
    public var value: Value {
        get { core.value }
        set { core.set(newValue) }
    }

    /// The present value and the changes to come; it completes when the property goes, and does not keep it.
    @inlinable
    public var signal: Signal<Value, Never> {
        Signal(start: { [core] sink, subscription in core.subscribe(sink, subscription) })
    }

    /// The same property for those who may not set it; it does not keep it.
    @inlinable
    public var readOnly: ReadOnlyProperty<Value> {
        let core = core
        return ReadOnlyProperty({ core.value }, signal)
    }

    /// Sets the value to what `change` makes of it, as one step: no other thread's value gets lost between.
    ///
    /// No lock is held meanwhile (law 3): if the value is set by another thread, or by `change` itself, `change` is called
    /// again with the new one. It should do nothing else.
    @inlinable
    public func modify(_ change: (inout Value) -> Void) {
        while true {
            var (value, version) = core.versioned
            change(&value)
            if core.set(value, ifStill: version) { return }
        }
    }

    /// Starts sending to `observer`, until the end or until `subscription` is disposed.
    @inlinable
    public func subscribe<O: Observer>(_ observer: O, in subscription: some Subscription)
    where O.Value == Value, O.Failure == Never {
        signal.subscribe(observer, in: subscription)
    }
}
