public import ReactiveCore

extension Signal {
    /// Makes a signal of each value, and sends what those send.
    ///
    /// It completes when the source and all signals made have; it fails with the first that fails, at once (law 6). With a
    /// limit, the source is paused while as many as that are sending; values that come all the same wait, `transform` is
    /// called when it is their turn. The stack does not grow with the number of signals (law 8).
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
                start(FlatMapSink(merge, outer, transform), outer)
            } else {
                start(LimitedFlatMapSink(merge, outer, strategy.limit, transform), outer)
            }
        })
    }
}

/// `flatMap` that subscribes to everything at once.
@usableFromInline
final class FlatMapSink<Value: Sendable, New: Sendable, Failure: Error>: Sink<Value, Failure> {
    @usableFromInline
    let merge: Merge<New, Failure>
    @usableFromInline
    let outer: SignalSubscription
    @usableFromInline
    let transform: @Sendable (Value) -> Signal<New, Failure>

    @inlinable
    init(
        _ merge: Merge<New, Failure>,
        _ outer: SignalSubscription,
        _ transform: @escaping @Sendable (Value) -> Signal<New, Failure>
    ) {
        self.merge = merge
        self.outer = outer
        self.transform = transform
    }

    @inlinable
    override func receive(_ value: Value) {
        if !outer.isDisposed { merge.start(transform(value)) }
    }

    @inlinable
    override func receive(termination: Termination<Failure>) {
        guard outer.end() else { return }
        switch termination {
        case .completed: merge.inputEnded()
        case .failed(let failure): merge.fail(failure)
        }
    }
}
