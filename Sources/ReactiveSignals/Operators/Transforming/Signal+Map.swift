// SPDX-License-Identifier: MIT
public import ReactiveCore

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
final class MapSink<Value: Sendable, New: Sendable, Failure: Error>: Sink<Value, Failure> {
    @usableFromInline
    let next: Sink<New, Failure>
    @usableFromInline
    let transform: @Sendable (Value) -> New

    @inlinable
    init(_ next: Sink<New, Failure>, _ transform: @escaping @Sendable (Value) -> New) {
        self.next = next
        self.transform = transform
    }

    @inlinable
    override func receive(_ value: Value) { next.receive(transform(value)) }

    @inlinable
    override func receive(termination: Termination<Failure>) { next.receive(termination: termination) }
}

@usableFromInline
final class CompactMapSink<Value: Sendable, New: Sendable, Failure: Error>: Sink<Value, Failure> {
    @usableFromInline
    let next: Sink<New, Failure>
    @usableFromInline
    let transform: @Sendable (Value) -> New?

    @inlinable
    init(_ next: Sink<New, Failure>, _ transform: @escaping @Sendable (Value) -> New?) {
        self.next = next
        self.transform = transform
    }

    @inlinable
    override func receive(_ value: Value) {
        if let new = transform(value) { next.receive(new) }
    }

    @inlinable
    override func receive(termination: Termination<Failure>) { next.receive(termination: termination) }
}
