// SPDX-License-Identifier: MIT

extension Signal {
    /// Sends the values for which `isIncluded` returns true, and drops the others.
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal {
        Signal(start: { [start] sink, subscription in start(FilterSink(sink, isIncluded), subscription) })
    }
}

@usableFromInline
final class FilterSink<Value: Sendable, Failure: Error>: OperatorSink<Value, Value, Failure> {
    @usableFromInline
    let isIncluded: @Sendable (Value) -> Bool

    @inlinable
    init(_ next: Sink<Value, Failure>, _ isIncluded: @escaping @Sendable (Value) -> Bool) {
        self.isIncluded = isIncluded
        super.init(next)
    }

    @inlinable
    override func receive(_ value: Value) {
        if isIncluded(value) { next.receive(value) }
    }
}
