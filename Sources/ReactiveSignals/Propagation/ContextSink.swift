// SPDX-License-Identifier: MIT
public import ReactiveCore

/// Passes events to the next sink with the values of a ``PropagatedContext``.
@usableFromInline
package final class ContextSink<Value: Sendable, Failure: Error>: Sink<Value, Failure> {
    @usableFromInline
    let next: Sink<Value, Failure>
    @usableFromInline
    let context: PropagatedContext

    @inlinable
    init(_ next: Sink<Value, Failure>, _ context: PropagatedContext) {
        self.next = next
        self.context = context
    }

    @inlinable
    package override func receive(_ value: Value) { context.restore { next.receive(value) } }

    @inlinable
    package override func receive(termination: Termination<Failure>) {
        context.restore { next.receive(termination: termination) }
    }
}
