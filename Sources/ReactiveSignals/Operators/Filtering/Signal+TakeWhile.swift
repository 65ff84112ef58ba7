// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

extension Signal {
    /// Sends values while `condition` returns true, then completes and releases the source
    /// ([law 6](doc:LawsOfSignals)).
    ///
    /// - Parameters:
    ///   - condition: Returns whether to continue. It is not called again after its first false.
    ///   - includingLast: Whether to send the first value for which `condition` returns false.
    @inlinable
    public func take(
        while condition: @escaping @Sendable (Value) -> Bool,
        includingLast: Bool = false
    ) -> Signal {
        Signal(start: { sink, subscription in
            let isOver = Cell(false)
            relay(
                in: subscription,
                { value in
                    // The source may still send after the completion.
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
            )
        })
    }

    /// Sends the last `count` values, in order, when the signal completes. It keeps at most `count` values.
    ///
    /// A failure is passed on immediately and drops the values. During a pause the values wait
    /// ([law 11](doc:LawsOfSignals)). Zero or less sends no value, only the termination.
    @inlinable
    public func take(last count: Int) -> Signal {
        Signal(start: { sink, subscription in
            let input = subscription.makeChild()
            let kept = Cell(FIFO<Value>())
            relay(
                in: input,
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
            )
        })
    }

    /// Drops all values and sends only the termination. The result may have any value type.
    @inlinable
    public func ignoreValues<New: Sendable>(_ type: New.Type = New.self) -> Signal<New, Failure> {
        Signal<New, Failure>(start: { sink, subscription in
            relay(in: subscription, { _ in }, { sink.receive(termination: $0) })
        })
    }
}
