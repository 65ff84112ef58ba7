// SPDX-License-Identifier: MIT
/// A stage of a stream in the class shape.
open class ShapeSink<Value: Sendable> {
    /// Creates a sink.
    @inlinable
    public init() {}

    /// Receives a value.
    @inlinable
    open func receive(_ value: Value) {}
}

/// A stream whose stages are objects with a link to the next one.
public struct SinkStream<Value: Sendable>: Sendable {
    @usableFromInline
    let start: @Sendable (ShapeSink<Value>) -> Void

    /// Creates a stream from what happens on subscription.
    @inlinable
    public init(_ start: @escaping @Sendable (ShapeSink<Value>) -> Void) { self.start = start }

    /// Starts the stream.
    @inlinable
    public func subscribe(_ onValue: @escaping @Sendable (Value) -> Void) { start(LastSink(onValue)) }

    /// Sends the result of `transform` for each value.
    @inlinable
    public func map<New: Sendable>(_ transform: @escaping @Sendable (Value) -> New) -> SinkStream<New> {
        SinkStream<New> { [start] next in start(MapSink(next, transform)) }
    }

    /// Sends the values for which `isIncluded` returns true.
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> SinkStream<Value> {
        SinkStream { [start] next in start(FilterSink(next, isIncluded)) }
    }

    /// Sends each intermediate result.
    @inlinable
    public func scan<State: Sendable>(
        _ initial: State,
        _ step: @escaping @Sendable (State, Value) -> State
    ) -> SinkStream<State> {
        SinkStream<State> { [start] next in start(ScanSink(next, initial, step)) }
    }
}

@usableFromInline
final class LastSink<Value: Sendable>: ShapeSink<Value> {
    @usableFromInline
    let onValue: @Sendable (Value) -> Void

    @inlinable
    init(_ onValue: @escaping @Sendable (Value) -> Void) { self.onValue = onValue }

    @inlinable
    override func receive(_ value: Value) { onValue(value) }
}

@usableFromInline
final class MapSink<Value: Sendable, New: Sendable>: ShapeSink<Value> {
    @usableFromInline
    let next: ShapeSink<New>
    @usableFromInline
    let transform: @Sendable (Value) -> New

    @inlinable
    init(_ next: ShapeSink<New>, _ transform: @escaping @Sendable (Value) -> New) {
        self.next = next
        self.transform = transform
    }

    @inlinable
    override func receive(_ value: Value) { next.receive(transform(value)) }
}

@usableFromInline
final class FilterSink<Value: Sendable>: ShapeSink<Value> {
    @usableFromInline
    let next: ShapeSink<Value>
    @usableFromInline
    let isIncluded: @Sendable (Value) -> Bool

    @inlinable
    init(_ next: ShapeSink<Value>, _ isIncluded: @escaping @Sendable (Value) -> Bool) {
        self.next = next
        self.isIncluded = isIncluded
    }

    @inlinable
    override func receive(_ value: Value) { if isIncluded(value) { next.receive(value) } }
}

@usableFromInline
final class ScanSink<Value: Sendable, State: Sendable>: ShapeSink<Value> {
    @usableFromInline
    let next: ShapeSink<State>
    @usableFromInline
    let step: @Sendable (State, Value) -> State
    @exclusivity(unchecked)
    @usableFromInline
    var state: State

    @inlinable
    init(_ next: ShapeSink<State>, _ state: State, _ step: @escaping @Sendable (State, Value) -> State) {
        self.next = next
        self.state = state
        self.step = step
    }

    @inlinable
    override func receive(_ value: Value) {
        let new = step(state, value)
        state = new
        next.receive(new)
    }
}

/// The source of the class shape.
public final class SinkSubject<Value: Sendable>: @unchecked Sendable {
    // The list retains each sink once. Sending borrows, which saves a retain and a release for each delivery.
    @exclusivity(unchecked)
    @usableFromInline
    var observers: [Unmanaged<ShapeSink<Value>>] = []

    /// Creates a subject without observers.
    @inlinable
    public init() {}

    deinit { for observer in observers { observer.release() } }

    /// Delivers `value` to all observers.
    @inlinable
    public func send(_ value: Value) {
        for observer in observers { observer._withUnsafeGuaranteedRef { $0.receive(value) } }
    }

    /// The stream of sent values.
    @inlinable
    public var stream: SinkStream<Value> { SinkStream { self.observers.append(.passRetained($0)) } }
}
