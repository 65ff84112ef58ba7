public import ReactiveCore

extension Signal {
    /// Sends one value when the signal has completed: what `step` has made of `initial` and all values, one by one.
    ///
    /// An empty signal gives `initial`. A failure passes at once, without a value.
    @inlinable
    public func reduce<Result: Sendable>(
        _ initial: Result,
        _ step: @escaping @Sendable (_ result: Result, _ value: Value) -> Result
    ) -> Signal<Result, Failure> {
        reduce(into: initial) { $0 = step($0, $1) }
    }

    /// Sends one value when the signal has completed: `initial`, changed by `step` for each value.
    @inlinable
    public func reduce<Result: Sendable>(
        into initial: Result,
        _ step: @escaping @Sendable (_ result: inout Result, _ value: Value) -> Void
    ) -> Signal<Result, Failure> {
        Signal<Result, Failure>(start: { [start] sink, subscription in
            let input = subscription.makeChild()
            let result = Cell(initial)
            start(
                RelaySink(
                    { step(&result.value, $0) },
                    { termination in
                        guard input.end() else { return }
                        switch termination {
                        case .completed: sink.finish(with: CollectionOfOne(result.value), in: subscription)
                        case .failed: sink.receive(termination: termination)
                        }
                    }
                ),
                input
            )
        })
    }

    /// Sends all values as one array when the signal has completed. What is endless is collected without end.
    @inlinable
    public func collect() -> Signal<[Value], Failure> { reduce(into: []) { $0.append($1) } }

    /// Sends the values in arrays of `count`, and what is left in a shorter one when the signal completes.
    ///
    /// Less than one counts as one. A failure passes at once, without what is left.
    @inlinable
    public func collect(count: Int) -> Signal<[Value], Failure> {
        collect(until: { $0.count >= count })
    }

    /// Sends the values in arrays, each as soon as `isEnough` says so, and what is left when the signal completes.
    @inlinable
    public func collect(until isEnough: @escaping @Sendable (_ values: [Value]) -> Bool) -> Signal<[Value], Failure> {
        Signal<[Value], Failure>(start: { [start] sink, subscription in
            let input = subscription.makeChild()
            let kept = Cell([Value]())
            start(
                RelaySink(
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
                ),
                input
            )
        })
    }
}
