// SPDX-License-Identifier: MIT
public import ReactiveCore

/// One stage of a subscription. It receives events from the stage before it and sends events to the next one.
///
/// Calls never overlap (law 2), but different threads may make them. So a sink's state is plain variables, and the
/// class is not `Sendable`. Rule for subclasses: do not hold an access to a field while calling the next sink. Then
/// nested calls cannot cause overlapping accesses, and `@exclusivity(unchecked)` is safe. A sink forwards one
/// termination and drops later events. The subscriber's sink enforces this for any source.
@usableFromInline
package class Sink<Value: Sendable, Failure: Error> {
    @inlinable
    package init() {}

    @inlinable
    package func receive(_ value: Value) { fatalError("a sink must override receive(_:)") }

    @inlinable
    package func receive(termination: Termination<Failure>) { fatalError("a sink must override receive(termination:)") }
}
