// SPDX-License-Identifier: MIT
/// An event of a signal as a value, which you can record, compare or forward.
public enum Event<Value: Sendable, Failure: Error>: Sendable {
    /// The next value.
    case value(Value)
    /// The termination. No event follows.
    case ended(Termination<Failure>)
}

extension Event: Equatable where Value: Equatable, Failure: Equatable {}
