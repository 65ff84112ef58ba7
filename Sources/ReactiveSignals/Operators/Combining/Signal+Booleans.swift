// SPDX-License-Identifier: MIT
extension Signal where Value == Bool {
    /// Sends the negation of each value.
    @inlinable
    public func negate() -> Signal { map { !$0 } }

    /// Sends whether the latest values of both signals are true, each time either one sends a value. See ``all(_:)``.
    @inlinable
    public func and(_ other: Signal) -> Signal { .all([self, other]) }

    /// Sends whether the latest value of at least one of the two signals is true, each time either one sends a value.
    /// See ``any(_:)``.
    @inlinable
    public func or(_ other: Signal) -> Signal { .any([self, other]) }

    /// Sends whether the latest values of all `signals` are true, each time one of them sends a value.
    ///
    /// The first value is sent when each signal has sent one. The result terminates and pauses as
    /// ``combineLatestAll(_:)`` does. With no signals, the result completes immediately.
    @inlinable
    public static func all(_ signals: some Collection<Signal> & Sendable) -> Signal {
        Signal<Never, Failure>.combineLatest(signals).map { $0.allSatisfy { $0 } }
    }

    /// Sends whether the latest value of at least one of `signals` is true, each time one of them sends a value.
    ///
    /// The first value is sent when each signal has sent one. The result terminates and pauses as
    /// ``combineLatestAll(_:)`` does. With no signals, the result completes immediately.
    @inlinable
    public static func any(_ signals: some Collection<Signal> & Sendable) -> Signal {
        Signal<Never, Failure>.combineLatest(signals).map { $0.contains(true) }
    }
}
