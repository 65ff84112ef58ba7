// SPDX-License-Identifier: MIT
public import ReactiveCore

/// A sink of an operator that passes on the termination unchanged.
@usableFromInline
class OperatorSink<Value: Sendable, New: Sendable, Failure: Error>: Sink<Value, Failure> {
    @usableFromInline
    final let next: Sink<New, Failure>

    @inlinable
    init(_ next: Sink<New, Failure>) {
        self.next = next
        super.init()
    }

    @inlinable
    override func receive(termination: Termination<Failure>) { next.receive(termination: termination) }
}
