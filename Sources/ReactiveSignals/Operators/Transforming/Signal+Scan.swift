public import ReactiveCore

extension Signal {
    /// Sends the state after each value: `initial` at first, changed by `step`. The state is each subscription's own.
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

    /// Sends what `step` makes of each value and of a state that it keeps, without sending the state itself.
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

    /// Sends each value together with the one before it: nothing for the first, so one less than there are.
    @inlinable
    public func combinePrevious() -> Signal<(previous: Value, value: Value), Failure> {
        scanMap(into: Value?.none) { last, value -> (previous: Value, value: Value)? in
            let previous = last
            last = value
            return previous.map { ($0, value) }
        }.skipNil()
    }

    /// Sends each value together with the one before it, the first with `initial`.
    @inlinable
    public func combinePrevious(_ initial: Value) -> Signal<(previous: Value, value: Value), Failure> {
        scanMap(into: initial) { last, value in
            let previous = last
            last = value
            return (previous, value)
        }
    }

    /// Sends `value` in place of each value.
    @inlinable
    public func map<New: Sendable>(value: New) -> Signal<New, Failure> { map { _ in value } }

    /// Sends what is in the optional values, and drops those that are nil.
    @inlinable
    public func skipNil<Wrapped: Sendable>() -> Signal<Wrapped, Failure> where Value == Wrapped? {
        compactMap { $0 }
    }
}
