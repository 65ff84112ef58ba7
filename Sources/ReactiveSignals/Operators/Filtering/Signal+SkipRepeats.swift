// SPDX-License-Identifier: MIT

extension Signal {
    /// Drops each value for which `isRepeat` returns true. Its argument `last` is the value that was sent last. The
    /// first value is always sent.
    @inlinable
    public func skipRepeats(by isRepeat: @escaping @Sendable (_ last: Value, _ value: Value) -> Bool) -> Signal {
        Signal(start: { [start] sink, subscription in start(SkipRepeatsSink(sink, isRepeat), subscription) })
    }
}

extension Signal where Value: Equatable {
    /// Drops each value that equals the value sent last. RxSwift calls it `distinctUntilChanged`, Combine
    /// `removeDuplicates`.
    @inlinable
    public func skipRepeats() -> Signal { skipRepeats(by: { $0 == $1 }) }
}

@usableFromInline
final class SkipRepeatsSink<Value: Sendable, Failure: Error>: OperatorSink<Value, Value, Failure> {
    @usableFromInline
    let isRepeat: @Sendable (Value, Value) -> Bool

    @safe @exclusivity(unchecked)
    @usableFromInline
    var last: Value?

    @inlinable
    init(_ next: Sink<Value, Failure>, _ isRepeat: @escaping @Sendable (Value, Value) -> Bool) {
        self.isRepeat = isRepeat
        super.init(next)
    }

    @inlinable
    override func receive(_ value: Value) {
        if let last, isRepeat(last, value) { return }
        last = value
        next.receive(value)
    }
}
