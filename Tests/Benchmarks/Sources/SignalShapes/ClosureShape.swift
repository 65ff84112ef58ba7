// SPDX-License-Identifier: MIT
/// A stream whose stages are closures that wrap closures.
public struct ClosureStream<Value: Sendable>: Sendable {
    @usableFromInline
    let start: @Sendable (@escaping @Sendable (Value) -> Void) -> Void

    /// Creates a stream from what happens on subscription.
    @inlinable
    public init(_ start: @escaping @Sendable (@escaping @Sendable (Value) -> Void) -> Void) {
        self.start = start
    }

    /// Starts the stream.
    @inlinable
    public func subscribe(_ onValue: @escaping @Sendable (Value) -> Void) { start(onValue) }

    /// Sends the result of `transform` for each value.
    @inlinable
    public func map<New: Sendable>(_ transform: @escaping @Sendable (Value) -> New) -> ClosureStream<New> {
        ClosureStream<New> { [start] next in start { next(transform($0)) } }
    }

    /// Sends the values for which `isIncluded` returns true.
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> ClosureStream<Value> {
        ClosureStream { [start] next in start { if isIncluded($0) { next($0) } } }
    }

    /// Sends each intermediate result.
    @inlinable
    public func scan<State: Sendable>(
        _ initial: State,
        _ step: @escaping @Sendable (State, Value) -> State
    ) -> ClosureStream<State> {
        ClosureStream<State> { [start] next in
            let state = Cell(initial)
            start { value in
                state.value = step(state.value, value)
                next(state.value)
            }
        }
    }
}

/// The state of a closure. Deliveries do not overlap, as in the real implementation.
@usableFromInline
final class Cell<Value>: @unchecked Sendable {
    @exclusivity(unchecked)
    @usableFromInline
    var value: Value

    @inlinable
    init(_ value: Value) { self.value = value }
}

/// The source of the closure shape.
public final class ClosureSubject<Value: Sendable>: @unchecked Sendable {
    @exclusivity(unchecked)
    @usableFromInline
    var observers: [@Sendable (Value) -> Void] = []

    /// Creates a subject without observers.
    @inlinable
    public init() {}

    /// Delivers `value` to all observers.
    @inlinable
    public func send(_ value: Value) {
        for observer in observers { observer(value) }
    }

    /// The stream of sent values.
    @inlinable
    public var stream: ClosureStream<Value> { ClosureStream { self.observers.append($0) } }
}
