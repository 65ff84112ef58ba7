// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Sends each value together with the latest value of `other`. Values that arrive before `other` has sent one are
    /// dropped.
    ///
    /// `other` is subscribed first. A pause of the result does not pause `other`. The result terminates when this
    /// signal does, and completes when `other` completes without a value. If `other` completes after a value, that
    /// value remains the latest.
    ///
    /// A failure of `other` fails the result. If one of the two signals cannot fail, it adopts the failure type of the
    /// other one.
    @inlinable
    public func withLatest<Other: Sendable>(from other: Signal<Other, Failure>) -> Signal<(Value, Other), Failure> {
        Signal<(Value, Other), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let latest = junction.joinLatest(other, in: junction.inputs.makeChild(passing: .nothing))
            junction.join(
                self,
                onValue: { value in if let other = latest.value { junction.send((value, other)) } },
                onTermination: { junction.end($0) }
            )
        })
    }

    /// Sends this signal's latest value together with each value of `trigger`, even if the latest value was sent
    /// before.
    ///
    /// A value of `trigger` before this signal's first value sends nothing. The result completes when `trigger`
    /// completes, or when this signal completes without a value. A failure of either one is passed on immediately. A
    /// pause pauses both signals. If one of the two cannot fail, it adopts the failure type of the other one.
    @inlinable
    public func sample<Trigger: Sendable>(with trigger: Signal<Trigger, Failure>) -> Signal<(Value, Trigger), Failure> {
        Signal<(Value, Trigger), Failure>(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let latest = junction.joinLatest(self, in: junction.inputs.makeChild("input"))
            junction.join(
                trigger,
                onValue: { sampled in if let value = latest.value { junction.send((value, sampled)) } },
                onTermination: { junction.end($0) }
            )
        })
    }

    /// Sends this signal's latest value for each value of `trigger`, even if the latest value was sent before. RxSwift
    /// drops such repeats.
    ///
    /// The result terminates and pauses as ``sample(with:)`` does.
    @inlinable
    public func sample<Trigger: Sendable>(on trigger: Signal<Trigger, Failure>) -> Signal {
        sample(with: trigger).map { $0.0 }
    }
}

extension Junction {
    /// Subscribes to an input of which only the latest value counts. Its completion without a value, or its failure,
    /// terminates the operator.
    ///
    /// - Returns: The latest value, which only steps access.
    @inlinable
    func joinLatest<Input: Sendable>(_ signal: Signal<Input, Failure>, in input: SignalSubscription) -> Cell<Input?> {
        let latest = Cell<Input?>(nil)
        join(
            signal,
            in: input,
            onValue: { latest.value = $0 },
            onTermination: { termination in
                switch termination {
                case .completed: if latest.value == nil { self.end(.completed) }
                case .failed: self.end(termination)
                }
            }
        )
        return latest
    }
}
