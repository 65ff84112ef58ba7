public import ReactiveCore

extension Signal {
    /// Sends what `transform` makes of each value.
    @inlinable
    public func map<New: Sendable>(_ transform: @escaping @Sendable (Value) -> New) -> Signal<New, Failure> {
        Signal<New, Failure>(start: { [start] sink, subscription in start(MapSink(sink, transform), subscription) })
    }

    /// Sends what `transform` makes of each value, where it makes something of it.
    @inlinable
    public func compactMap<New: Sendable>(_ transform: @escaping @Sendable (Value) -> New?) -> Signal<New, Failure> {
        Signal<New, Failure>(start: { [start] sink, subscription in
            start(CompactMapSink(sink, transform), subscription)
        })
    }

    /// Sends the values for which `isIncluded` is true.
    @inlinable
    public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal {
        Signal(start: { [start] sink, subscription in start(FilterSink(sink, isIncluded), subscription) })
    }

    /// Sends the result so far after each value: `step` of the one before, at first `initial`, and the value.
    ///
    /// The state is each subscription's own. `initial` itself is not sent.
    @inlinable
    public func scan<State: Sendable>(
        _ initial: State,
        _ step: @escaping @Sendable (_ state: State, _ value: Value) -> State
    ) -> Signal<State, Failure> {
        Signal<State, Failure>(start: { [start] sink, subscription in
            start(ScanSink(sink, initial, step), subscription)
        })
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

@usableFromInline
final class ScanSink<Value: Sendable, State: Sendable, Failure: Error>: Sink<Value, Failure> {
    @usableFromInline
    let next: Sink<State, Failure>
    @usableFromInline
    let step: @Sendable (State, Value) -> State

    @exclusivity(unchecked)
    @usableFromInline
    var state: State

    @inlinable
    init(_ next: Sink<State, Failure>, _ state: State, _ step: @escaping @Sendable (State, Value) -> State) {
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

    @inlinable
    override func receive(termination: Termination<Failure>) { next.receive(termination: termination) }
}
