// SPDX-License-Identifier: MIT

extension Signal {
    /// Sends the result of `transform` for each value. For a closure that throws, use ``attemptMap(_:)``.
    @inlinable
    public func map<New: Sendable>(_ transform: @escaping @Sendable (Value) -> New) -> Signal<New, Failure> {
        Signal<New, Failure>(start: { [start] sink, subscription in start(MapSink(sink, transform), subscription) })
    }

    /// Sends the result of `transform` for each value, unless the result is `nil`.
    @inlinable
    public func compactMap<New: Sendable>(_ transform: @escaping @Sendable (Value) -> New?) -> Signal<New, Failure> {
        Signal<New, Failure>(start: { [start] sink, subscription in
            start(CompactMapSink(sink, transform), subscription)
        })
    }

    /// Sends `value` in place of each value.
    ///
    /// ReactiveSwift calls it `map(value:)`. An overload of `map` with a value parameter would also accept a closure,
    /// which would worsen the compiler's messages about closures of `map`.
    @inlinable
    public func replaceValues<New: Sendable>(with value: New) -> Signal<New, Failure> { map { _ in value } }

    /// Drops `nil` and sends the other values unwrapped.
    @inlinable
    public func skipNil<Wrapped: Sendable>() -> Signal<Wrapped, Failure> where Value == Wrapped? {
        compactMap { $0 }
    }
}

@usableFromInline
final class MapSink<Value: Sendable, New: Sendable, Failure: Error>: OperatorSink<Value, New, Failure> {
    @usableFromInline
    let transform: @Sendable (Value) -> New

    @inlinable
    init(_ next: Sink<New, Failure>, _ transform: @escaping @Sendable (Value) -> New) {
        self.transform = transform
        super.init(next)
    }

    @inlinable
    override func receive(_ value: Value) { next.receive(transform(value)) }
}

@usableFromInline
final class CompactMapSink<Value: Sendable, New: Sendable, Failure: Error>: OperatorSink<Value, New, Failure> {
    @usableFromInline
    let transform: @Sendable (Value) -> New?

    @inlinable
    init(_ next: Sink<New, Failure>, _ transform: @escaping @Sendable (Value) -> New?) {
        self.transform = transform
        super.init(next)
    }

    @inlinable
    override func receive(_ value: Value) {
        if let new = transform(value) { next.receive(new) }
    }
}
