// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Sends the values for which `isIncluded` returns true, and drops the others.
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal {
        Signal(start: { [start] sink, subscription in start(FilterSink(sink, isIncluded), subscription) })
    }
}

@usableFromInline
final class FilterSink<Value: Sendable, Failure: Error>: Sink<Value, Failure> {
    @usableFromInline
    let next: Sink<Value, Failure>
    @usableFromInline
    let isIncluded: @Sendable (Value) -> Bool

    @inlinable
    init(_ next: Sink<Value, Failure>, _ isIncluded: @escaping @Sendable (Value) -> Bool) {
        self.next = next
        self.isIncluded = isIncluded
    }

    @inlinable
    override func receive(_ value: Value) {
        if isIncluded(value) { next.receive(value) }
    }

    @inlinable
    override func receive(termination: Termination<Failure>) { next.receive(termination: termination) }
}
