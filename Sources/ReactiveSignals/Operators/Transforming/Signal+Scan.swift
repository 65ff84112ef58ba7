// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Sends the state after each value. `step` computes the new state from the previous one and the value.
    ///
    /// Each subscription begins with `initial`, which is not sent. In a long chain, give a literal a type, as in
    /// `scan(0 as Int) { $0 + $1 }`. Otherwise the compiler may take seconds for the chain.
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
    /// Each subscription begins with `initial`, which is not sent. In a long chain, give a literal a type, as in
    /// `scan(into: 0 as Int) { $0 += $1 }`.
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

    /// Sends the result of `step` for each value. `step` may change a state, which is not sent.
    ///
    /// Each subscription begins with the state `initial`.
    @inlinable
    public func scanMap<State: Sendable, New: Sendable>(
        into initial: State,
        _ step: @escaping @Sendable (_ state: inout State, _ value: Value) -> New
    ) -> Signal<New, Failure> {
        Signal<New, Failure>(start: { sink, subscription in
            let state = Cell(initial)
            relay(in: subscription, { sink.receive(step(&state.value, $0)) }, { sink.receive(termination: $0) })
        })
    }
}

@usableFromInline
final class ScanSink<Value: Sendable, State: Sendable, Failure: Error>: OperatorSink<Value, State, Failure> {
    @usableFromInline
    let step: @Sendable (State, Value) -> State

    @safe @exclusivity(unchecked)
    @usableFromInline
    var state: State

    @inlinable
    init(_ next: Sink<State, Failure>, _ state: State, _ step: @escaping @Sendable (State, Value) -> State) {
        self.state = state
        self.step = step
        super.init(next)
    }

    @inlinable
    override func receive(_ value: Value) {
        let new = step(state, value)
        state = new
        next.receive(new)
    }
}
