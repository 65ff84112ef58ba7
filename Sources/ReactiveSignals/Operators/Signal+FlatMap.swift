public import ReactiveCore

extension Signal {
    /// Makes a signal of each value, and sends what those send.
    ///
    /// It completes when the source and all signals made have; it fails with the first that fails, at once (law 6). With a
    /// limit, the source is paused while as many as that are sending; values that come all the same wait, `transform` is
    /// called when it is their turn. The stack does not grow with the number of signals (law 8).
    ///
    /// Also during a pause a failure releases all others at once: what their signals have sent this far comes before it
    /// (law 11); values that their sources hold back, and those whose turn has not come, are released with them.
    @inlinable
    public func flatMap<New: Sendable>(
        _ strategy: FlattenStrategy = .merge,
        _ transform: @escaping @Sendable (Value) -> Signal<New, Failure>
    ) -> Signal<New, Failure> {
        Signal<New, Failure>(start: { [start] sink, subscription in
            let inputs = subscription.makeChild()
            let merge = Merge(Gate(sink, subscription), inputs)
            let outer = inputs.makeChild()
            if strategy.limit == .max {
                start(
                    RelaySink(
                        { if !outer.isDisposed { merge.start(transform($0)) } },
                        { merge.inputEnded(outer, $0) }
                    ),
                    outer
                )
            } else {
                let limited = LimitedFlatMap(merge, outer, strategy.limit, transform)
                start(RelaySink({ limited.receive($0) }, { merge.inputEnded(outer, $0) }), outer)
            }
        })
    }
}
