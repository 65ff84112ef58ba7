// SPDX-License-Identifier: MIT
public import ReactiveCore

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
final class SkipRepeatsSink<Value: Sendable, Failure: Error>: Sink<Value, Failure> {
    @usableFromInline
    let next: Sink<Value, Failure>
    @usableFromInline
    let isRepeat: @Sendable (Value, Value) -> Bool

    @safe @exclusivity(unchecked)
    @usableFromInline
    var last: Value?

    @inlinable
    init(_ next: Sink<Value, Failure>, _ isRepeat: @escaping @Sendable (Value, Value) -> Bool) {
        self.next = next
        self.isRepeat = isRepeat
    }

    @inlinable
    override func receive(_ value: Value) {
        if let last, isRepeat(last, value) { return }
        last = value
        next.receive(value)
    }

    @inlinable
    override func receive(termination: Termination<Failure>) { next.receive(termination: termination) }
}
