public import ReactiveCore

/// One stage of a subscription: it takes what the stage before it sends, and sends on to the next one.
///
/// Calls never overlap (law 2), though they may come from one thread after another; that is why a sink's state is plain
/// variables, and why the class is not `Sendable`. The state is read, computed and written in three steps, so that even a
/// call from inside a call would not overlap; exclusivity is not checked where that would cost at each value. A sink
/// passes a termination on once and takes nothing after it; the last one, of the subscriber, holds to that whatever comes.
@usableFromInline
package class Sink<Value: Sendable, Failure: Error> {
    @inlinable
    package init() {}

    @inlinable
    package func receive(_ value: Value) { fatalError("a sink must override receive(_:)") }

    @inlinable
    package func receive(termination: Termination<Failure>) { fatalError("a sink must override receive(termination:)") }
}
