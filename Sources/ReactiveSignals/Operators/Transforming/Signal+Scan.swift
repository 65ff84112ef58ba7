public import ReactiveCore

extension Signal {
    /// Sends the state after each value. `step` makes the new state from the previous one and the value.
    ///
    /// Each subscription begins with `initial`, which is not sent.
    @inlinable
    public func scan<State: Sendable>(
        _ initial: State,
        _ step: @escaping @Sendable (_ state: State, _ value: Value) -> State
    ) -> Signal<State, Failure> {
        Signal<State, Failure>(start: { [start] sink, subscription in
            start(ScanSink(sink, initial, step), subscription)
        })
    }

    /// Sends the state after each value. `step` changes the state in place.
    ///
    /// Each subscription begins with `initial`, which is not sent.
    @inlinable
    public func scan<State: Sendable>(
        into initial: State,
        _ step: @escaping @Sendable (_ state: inout State, _ value: Value) -> Void
    ) -> Signal<State, Failure> {
        scanMap(into: initial) { state, value in
            step(&state, value)
            return state
        }
    }

    /// Sends the result of `step` for each value. `step` may change a state, which begins with `initial` for each
    /// subscription.
    @inlinable
    public func scanMap<State: Sendable, New: Sendable>(
        into initial: State,
        _ step: @escaping @Sendable (_ state: inout State, _ value: Value) -> New
    ) -> Signal<New, Failure> {
        Signal<New, Failure>(start: { [start] sink, subscription in
            let state = Cell(initial)
            start(
                RelaySink({ sink.receive(step(&state.value, $0)) }, { sink.receive(termination: $0) }),
                subscription
            )
        })
    }

    /// Sends each value together with the previous one. Sends nothing for the first value.
    @inlinable
    public func combinePrevious() -> Signal<(previous: Value, value: Value), Failure> {
        scanMap(into: Value?.none) { last, value -> (previous: Value, value: Value)? in
            let previous = last
            last = value
            return previous.map { ($0, value) }
        }.skipNil()
    }

    /// Sends each value together with the previous one, and the first value together with `initial`.
    @inlinable
    public func combinePrevious(_ initial: Value) -> Signal<(previous: Value, value: Value), Failure> {
        scanMap(into: initial) { last, value in
            let previous = last
            last = value
            return (previous, value)
        }
    }
}

@usableFromInline
final class ScanSink<Value: Sendable, State: Sendable, Failure: Error>: Sink<Value, Failure> {
    @usableFromInline
    let next: Sink<State, Failure>
    @usableFromInline
    let step: @Sendable (State, Value) -> State

    @safe @exclusivity(unchecked)
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
