// SPDX-License-Identifier: MIT
/// A receiver of a signal's values and its termination.
///
/// The source calls ``receive(_:)`` any number of times, then ``receive(termination:)`` at most once. It makes no
/// further call. Calls never overlap, but successive calls may come from different threads (laws 1 and 2,
/// Docs/Laws.md).
public protocol Observer<Value, Failure>: Sendable {
    /// The type of the values.
    associatedtype Value: Sendable
    /// The type of the errors. `Never` means that the signal cannot fail.
    associatedtype Failure: Error

    /// Receives the next value.
    func receive(_ value: Value)

    /// Receives the termination. The subscription is already disposed, so the source has released its resources (law
    /// 6).
    func receive(termination: Termination<Failure>)
}
