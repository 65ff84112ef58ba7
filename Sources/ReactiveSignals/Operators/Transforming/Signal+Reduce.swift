// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Combines all values with `step`, beginning with `initial`, and sends the result when the signal completes.
    ///
    /// Each subscription begins with `initial`. If the signal completes without a value, sends `initial`. A failure is
    /// passed on immediately, without a result. In a long chain, give a literal a type, as in
    /// `reduce(0 as Int) { $0 + $1 }`.
    @inlinable
    public func reduce<Result: Sendable>(
        _ initial: Result,
        _ step: @escaping @Sendable (_ result: Result, _ value: Value) -> Result
    ) -> Signal<Result, Failure> {
        reduce(into: initial) { $0 = step($0, $1) }
    }

    /// Combines all values with `step`, which changes the result in place, and sends the result when the signal
    /// completes.
    ///
    /// Each subscription begins with `initial`. If the signal completes without a value, sends `initial`. A failure is
    /// passed on immediately, without a result.
    @inlinable
    public func reduce<Result: Sendable>(
        into initial: Result,
        _ step: @escaping @Sendable (_ result: inout Result, _ value: Value) -> Void
    ) -> Signal<Result, Failure> {
        Signal<Result, Failure>(start: { sink, subscription in
            let input = subscription.makeChild()
            let result = Cell(initial)
            relay(
                in: input,
                { step(&result.value, $0) },
                { termination in
                    guard input.end() else { return }
                    switch termination {
                    case .completed: sink.finish(with: CollectionOfOne(result.value), in: subscription)
                    case .failed: sink.receive(termination: termination)
                    }
                }
            )
        })
    }

    /// Sends all values as one array when the signal completes. Memory use is unbounded.
    ///
    /// If the signal completes without a value, sends an empty array. A failure is passed on immediately, without
    /// values.
    @inlinable
    public func collect() -> Signal<[Value], Failure> { reduce(into: []) { $0.append($1) } }

    /// Sends the values in arrays of `count`. When the signal completes, sends the rest, if any, in a shorter array.
    ///
    /// A `count` below one counts as one. A failure is passed on immediately and drops the rest.
    @inlinable
    public func collect(count: Int) -> Signal<[Value], Failure> {
        collect(until: { $0.count >= count })
    }

    /// Sends the collected values as an array when `isEnough` returns true for them, then begins a new array.
    ///
    /// `isEnough` is called for each value, with an array that ends with that value. When the signal completes, sends
    /// the rest, if any. A failure is passed on immediately and drops the rest.
    @inlinable
    public func collect(until isEnough: @escaping @Sendable (_ values: [Value]) -> Bool) -> Signal<[Value], Failure> {
        Signal<[Value], Failure>(start: { sink, subscription in
            let input = subscription.makeChild()
            let kept = Cell([Value]())
            relay(
                in: input,
                { value in
                    kept.value.append(value)
                    if isEnough(kept.value) {
                        let values = kept.value
                        kept.value = []
                        sink.receive(values)
                    }
                },
                { termination in
                    guard input.end() else { return }
                    if case .failed = termination { return sink.receive(termination: termination) }
                    let values = kept.value
                    kept.value = []
                    sink.finish(with: values.isEmpty ? [] : [values], in: subscription)
                }
            )
        })
    }
}
