public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// Sends values for as long as `condition` holds, and completes with the first for which it does not.
    ///
    /// That one is sent too if `includingLast` says so. The source is released then (law 6).
    @inlinable
    public func take(
        while condition: @escaping @Sendable (Value) -> Bool,
        includingLast: Bool = false
    ) -> Signal {
        Signal(start: { [start] sink, subscription in
            let isOver = Cell(false)
            start(
                RelaySink(
                    { value in
                        // The source may go on for a while after the last one.
                        if isOver.value { return }
                        if condition(value) { return sink.receive(value) }
                        isOver.value = true
                        if includingLast { sink.receive(value) }
                        sink.receive(termination: .completed)
                    },
                    { termination in
                        if isOver.value { return }
                        isOver.value = true
                        sink.receive(termination: termination)
                    }
                ),
                subscription
            )
        })
    }

    /// Sends the last `count` values, in their order, when the signal has completed; keeps no more than that.
    ///
    /// A failure passes at once, without them. During a pause they wait (law 11). Zero and less: only the end.
    @inlinable
    public func take(last count: Int) -> Signal {
        Signal(start: { [start] sink, subscription in
            let input = subscription.makeChild()
            let kept = Cell(FIFO<Value>())
            start(
                RelaySink(
                    { value in
                        guard count > 0 else { return }
                        if kept.value.count == count { _ = kept.value.popFirst() }
                        kept.value.append(value)
                    },
                    { termination in
                        guard input.end() else { return }
                        if case .failed = termination { return sink.receive(termination: termination) }
                        sink.finish(with: kept.value.takeAll(), in: subscription)
                    }
                ),
                input
            )
        })
    }

    /// Sends no value, only the end; the result may be said to be of any type.
    @inlinable
    public func ignoreValues<New: Sendable>(_ type: New.Type = New.self) -> Signal<New, Failure> {
        Signal<New, Failure>(start: { [start] sink, subscription in
            start(RelaySink({ _ in }, { sink.receive(termination: $0) }), subscription)
        })
    }
}
