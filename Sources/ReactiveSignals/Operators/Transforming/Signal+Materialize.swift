public import ReactiveCore

extension Signal {
    /// Sends everything that happens as a value, the end too, and completes after it; it cannot fail.
    @inlinable
    public func materialize() -> Signal<Event<Value, Failure>, Never> {
        Signal<Event<Value, Failure>, Never>(start: { [start] sink, subscription in
            // A failure becomes a value here, which keeps its place among the others.
            let input = subscription.makeChild(passing: .inOrder)
            start(
                RelaySink(
                    { sink.receive(.value($0)) },
                    { termination in
                        guard input.end() else { return }
                        sink.finish(with: CollectionOfOne(.ended(termination)), in: subscription)
                    }
                ),
                input
            )
        })
    }

    /// Makes the events that a signal sends as values happen again: the opposite of ``materialize()``.
    ///
    /// An end among them ends it and lets go of the source (law 6); the source's own completion completes it.
    @inlinable
    public func dematerialize<New: Sendable, Break: Error>() -> Signal<New, Break>
    where Value == Event<New, Break>, Failure == Never {
        Signal<New, Break>(start: { [start] sink, subscription in
            let isOver = Cell(false)
            let end: (Termination<Break>) -> Void = { termination in
                if isOver.value { return }
                isOver.value = true
                sink.receive(termination: termination)
            }
            start(
                RelaySink(
                    { event in
                        switch event {
                        case .value(let value): if !isOver.value { sink.receive(value) }
                        case .ended(let termination): end(termination)
                        }
                    },
                    { _ in end(.completed) }
                ),
                subscription
            )
        })
    }
}

extension Signal where Value == Never {
    /// The same signal as one that might send values, to be joined with those that do.
    @inlinable
    public func setValueType<New: Sendable>(to value: New.Type) -> Signal<New, Failure> { ignoreValues(New.self) }
}
