// SPDX-License-Identifier: MIT
public import ReactiveCore
public import Synchronization

extension Signal {
    /// Sends the values of all `signals` as they arrive. The result completes when all have completed, and fails with
    /// the first failure.
    ///
    /// Subscribes to the signals in order. Values that are sent from several threads or during a delivery are put in
    /// one order. With no signals, the result completes immediately. The stack does not grow with the number of
    /// signals.
    ///
    /// A pause pauses all signals. A failure releases the other signals immediately, even during a pause. Values that
    /// have reached this operator are sent before the failure ([law 9](doc:LawsOfSignals)). Values that the other
    /// sources buffer are dropped.
    @inlinable
    public static func merge(_ signals: some Collection<Signal> & Sendable) -> Signal {
        Signal(start: { sink, subscription in
            let merge = Merge(Junction(sink, subscription))
            for signal in signals {
                // A failure, or a disposal from inside a value, disposes all inputs.
                guard !merge.junction.inputs.isDisposed else { return }
                merge.start(signal)
            }
            merge.inputEnded()
        })
    }

    /// Sends the values of all `signals` as they arrive. The result terminates and pauses as the form with a collection
    /// does.
    @inlinable
    public static func merge(_ signals: Signal...) -> Signal { merge(signals) }

    /// Sends the values of this signal and `other` as they arrive. The result completes when both have completed, and
    /// fails with the first failure. If one of the two cannot fail, it adopts the failure type of the other one.
    @inlinable
    public func merge(with other: Signal) -> Signal { .merge([self, other]) }
}

/// Merges several signals into one sink. `flatMap` uses it for its inner signals.
@usableFromInline
final class Merge<Value: Sendable, Failure: Error> {
    @usableFromInline
    let junction: Junction<Value, Failure>
    /// The number of active inputs, plus one while more may be started.
    @usableFromInline
    let open = Atomic<Int>(1)

    @inlinable
    init(_ junction: Junction<Value, Failure>) {
        self.junction = junction
    }

    /// Lets completion wait for one more call of `inputEnded`.
    @inlinable
    func expectOneMore() { open.wrappingAdd(1, ordering: .relaxed) }

    /// Subscribes to one more input, or sends its scalar event. Call it only before the last call of `inputEnded()`.
    @inlinable
    func start(_ signal: Signal<Value, Failure>) {
        if let scalar = signal.scalar { return take(scalar) }
        expectOneMore()
        let input = junction.inputs.makeChild()
        join(signal, in: input) { self.inputEnded(input, $0) }
    }

    /// Subscribes to one input, whose values are sent unchanged.
    @inlinable
    func join(
        _ signal: Signal<Value, Failure>,
        in input: SignalSubscription,
        _ ended: @escaping (Termination<Failure>) -> Void
    ) {
        // A disposed input must not start its source.
        guard !input.isDisposed else { return }
        signal.relay(in: input, { [junction] in junction.receive($0) }, ended)
    }

    /// Sends a scalar's value or failure without a subscription.
    ///
    /// It does so even during a pause, since the junction buffers the value. A subscription would buffer it
    /// separately, and a value sent after the resume could overtake it.
    @inlinable
    func take(_ scalar: Scalar<Value, Failure>) {
        switch scalar.event {
        case .value(let value): junction.receive(value)
        case .ended(.completed): break
        case .ended(.failed(let failure)): fail(failure)
        }
    }

    /// Releases a terminated input, and all others if it failed (law 6).
    @inlinable
    func inputEnded(_ input: SignalSubscription, _ termination: Termination<Failure>) {
        guard input.end() else { return }
        switch termination {
        case .completed: inputEnded()
        case .failed(let failure): fail(failure)
        }
    }

    @inlinable
    func inputEnded() {
        if open.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
            junction.receive(termination: .completed)
        }
    }

    @inlinable
    func fail(_ failure: Failure) { junction.receive(termination: .failed(failure)) }
}
