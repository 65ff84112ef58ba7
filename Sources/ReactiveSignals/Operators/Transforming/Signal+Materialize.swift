// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Sends each event, including the termination, as a value. Completes after the termination and never fails.
    ///
    /// Here a failure is a value like any other, so it does not overtake earlier values.
    @inlinable
    public func materialize() -> Signal<Event<Value, Failure>, Never> {
        Signal<Event<Value, Failure>, Never>(start: { sink, subscription in
            // `inOrder`, because the failure becomes a value and must not overtake the values before it.
            let input = subscription.makeChild(passing: .inOrder)
            relay(
                in: input,
                { sink.receive(.value($0)) },
                { termination in
                    guard input.end() else { return }
                    sink.finish(with: CollectionOfOne(.ended(termination)), in: subscription)
                }
            )
        })
    }

    /// Turns the events that a signal sends as values back into events. The inverse of ``materialize()``.
    ///
    /// A termination among the values terminates the result and releases the source ([law 6](doc:LawsOfSignals)). If
    /// the source completes without one, the result completes.
    @inlinable
    public func dematerialize<New: Sendable, Break: Error>() -> Signal<New, Break>
    where Value == Event<New, Break>, Failure == Never {
        Signal<New, Break>(start: { sink, subscription in
            let isOver = Cell(false)
            let end: (Termination<Break>) -> Void = { termination in
                if isOver.value { return }
                isOver.value = true
                sink.receive(termination: termination)
            }
            relay(
                in: subscription,
                { event in
                    switch event {
                    case .value(let value): if !isOver.value { sink.receive(value) }
                    case .ended(let termination): end(termination)
                    }
                },
                { _ in end(.completed) }
            )
        })
    }
}

extension Signal where Value == Never {
    /// Returns the same signal with another value type, to combine it with signals that send values.
    @inlinable
    public func setValueType<New: Sendable>(to value: New.Type) -> Signal<New, Failure> { ignoreValues(New.self) }
}
