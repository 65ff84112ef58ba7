public import ReactiveCore

extension Signal {
    /// Sends each value together with the latest one of `other`; values that come before `other` has sent one are dropped.
    ///
    /// `other` is subscribed first, and heard also during a pause: what waits is combined with what is the latest when its
    /// turn comes. It ends with this signal, and also when `other` completes without a value.
    @inlinable
    public func withLatest<Other: Sendable>(from other: Signal<Other, Never>) -> Signal<(Value, Other), Failure> {
        Signal<(Value, Other), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let latest = Cell<Other?>(nil)
            junction.join(
                other,
                in: junction.makeListener(),
                onValue: { latest.value = $0 },
                onTermination: { _ in if latest.value == nil { junction.end(.completed) } }
            )
            junction.join(
                self,
                onValue: { value in if let other = latest.value { junction.send((value, other)) } },
                onTermination: { junction.end($0) }
            )
        })
    }

    /// Sends the latest value together with each value of `trigger`, also where it has been sent before.
    ///
    /// It completes with `trigger`, and where this signal completes without a value; a failure passes at once. A pause pauses
    /// both.
    @inlinable
    public func sample<Trigger: Sendable>(with trigger: Signal<Trigger, Never>) -> Signal<(Value, Trigger), Failure> {
        Signal<(Value, Trigger), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let latest = Cell<Value?>(nil)
            junction.join(
                self,
                onValue: { latest.value = $0 },
                onTermination: { termination in
                    switch termination {
                    case .completed: if latest.value == nil { junction.end(.completed) }
                    case .failed: junction.end(termination)
                    }
                }
            )
            junction.join(
                trigger,
                onValue: { sampled in if let value = latest.value { junction.send((value, sampled)) } },
                onTermination: { _ in junction.end(.completed) }
            )
        })
    }

    /// Sends the latest value each time `trigger` sends one, also where it has been sent before (RxSwift leaves repeats out).
    @inlinable
    public func sample<Trigger: Sendable>(on trigger: Signal<Trigger, Never>) -> Signal {
        sample(with: trigger).map { $0.0 }
    }
}
