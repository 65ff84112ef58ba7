// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Creates a signal that sends `value` and completes, for each subscription, on the subscribing thread.
    @inlinable
    public init(just value: Value) {
        self.init(Scalar(.value(value)))
    }

    /// Creates a signal that sends the elements of `values` in order and completes, for each subscription.
    ///
    /// Events arrive on the subscribing thread before `subscribe` returns. If the observer disposes the subscription
    /// while it receives a value, the iteration stops. A pause suspends it; it continues on the resuming thread,
    /// without recursion ([law 11](doc:LawsOfSignals)). An endless sequence is legal: it occupies the thread until a
    /// disposal or a pause.
    ///
    /// The next element is read only when it can be sent. So a pause also delays the completion, even that of an empty
    /// sequence, whereas ``empty`` completes during a pause.
    @inlinable
    public init<S: Sequence & Sendable>(values: S) where S.Element == Value {
        self.init(start: { sink, subscription in SequenceSource.start(values, sink, subscription) })
    }

    /// Creates a signal that sends the value of `result` and completes, or fails with its error, on the subscribing
    /// thread.
    @inlinable
    public init(result: Result<Value, Failure>) {
        switch result {
        case .success(let value): self.init(just: value)
        case .failure(let failure): self = .fail(failure)
        }
    }

    /// Creates a signal that sends `value` and completes. The same as ``init(just:)``.
    @inlinable
    public static func just(_ value: Value) -> Signal { Signal(just: value) }

    /// A signal that completes immediately, without a value.
    @inlinable
    public static var empty: Signal { Signal(Scalar(.ended(.completed))) }

    /// A signal that sends nothing and never terminates.
    @inlinable
    public static var never: Signal { Signal(start: { _, _ in }) }

    /// Creates a signal that fails with `failure` immediately, without a value.
    @inlinable
    public static func fail(_ failure: Failure) -> Signal { Signal(Scalar(.ended(.failed(failure)))) }
}
