public import ReactiveCore

extension Signal {
    /// Makes a signal that sends `value` and completes, for each subscription.
    @inlinable
    public init(just value: Value) {
        self.init(Scalar(.value(value)))
    }

    /// Makes a signal that sends what is in `values`, in order, and completes, for each subscription.
    ///
    /// It sends on the subscriber's thread before `subscribe` returns; disposed from inside a value it stops there, paused
    /// it waits and goes on where it is resumed, without recursion (law 11). An endless sequence is legal.
    @inlinable
    public init<S: Sequence & Sendable>(values: S) where S.Element == Value {
        self.init(start: { sink, subscription in SequenceSource.start(values, sink, subscription) })
    }

    /// Makes a signal that ends with what `result` says: its value and the end, or the failure.
    @inlinable
    public init(result: Result<Value, Failure>) {
        switch result {
        case .success(let value): self.init(just: value)
        case .failure(let failure): self = .fail(failure)
        }
    }

    /// Sends `value` and completes; the same as ``init(just:)``.
    @inlinable
    public static func just(_ value: Value) -> Signal { Signal(just: value) }

    /// Completes at once.
    @inlinable
    public static var empty: Signal { Signal(Scalar(.ended(.completed))) }

    /// Sends nothing and does not end; disposing it is all that can be done.
    @inlinable
    public static var never: Signal { Signal(start: { _, _ in }) }

    /// Fails at once.
    @inlinable
    public static func fail(_ failure: Failure) -> Signal { Signal(Scalar(.ended(.failed(failure)))) }
}
