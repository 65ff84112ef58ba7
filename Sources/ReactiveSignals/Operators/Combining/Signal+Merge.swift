public import ReactiveCore
public import Synchronization

extension Signal {
    /// Sends what any of `signals` sends, as it comes; completes when all have, fails with the first that fails.
    ///
    /// They are subscribed to in order. What they send from several threads, or inside one another's deliveries, is put in
    /// one order (laws 2 and 4). None at all: completes at once. The stack does not grow with their number (law 8).
    ///
    /// A failure releases the others at once, also during a pause (laws 6 and 9): values that have come this far come
    /// before it (law 11), those that the others' sources hold back are released with them.
    @inlinable
    public static func merge(_ signals: some Collection<Signal> & Sendable) -> Signal {
        Signal(start: { sink, subscription in
            let merge = Merge(EventSerializer(sink, subscription), subscription.makeChild())
            for signal in signals {
                // A failure, or a disposal from inside a value, ends all of them.
                guard !merge.inputs.isDisposed else { return }
                merge.start(signal)
            }
            merge.inputEnded()
        })
    }

    /// Sends what any of `signals` sends, as it comes.
    @inlinable
    public static func merge(_ signals: Signal...) -> Signal { merge(signals) }

    /// Sends what this signal and `other` send, as it comes.
    @inlinable
    public func merge(with other: Signal) -> Signal { .merge([self, other]) }
}

/// Several signals that go into one; also what `flatMap` does with those it makes.
@usableFromInline
final class Merge<Value: Sendable, Failure: Error> {
    @usableFromInline
    let serializer: EventSerializer<Value, Failure>
    /// The parent of all inputs, so that a failure of one releases the others at once, whatever holds it up further down.
    @usableFromInline
    let inputs: SignalSubscription
    /// How many may still send, and one for whoever may start more.
    @usableFromInline
    let open = Atomic<Int>(1)

    @inlinable
    init(_ serializer: EventSerializer<Value, Failure>, _ inputs: SignalSubscription) {
        self.serializer = serializer
        self.inputs = inputs
    }

    /// Makes the end wait for one more `inputEnded`.
    @inlinable
    func expectOneMore() { open.wrappingAdd(1, ordering: .relaxed) }

    /// Subscribes to one more input, or takes what is known of it; for whoever may start more.
    @inlinable
    func start(_ signal: Signal<Value, Failure>) {
        if let scalar = signal.scalar { return take(scalar) }
        expectOneMore()
        let input = inputs.makeChild()
        // What is over starts nothing, whatever the source would do.
        guard !input.isDisposed else { return }
        signal.start(RelaySink({ [serializer] in serializer.send($0) }, { self.inputEnded(input, $0) }), input)
    }

    /// Sends what an input would send and be over with, without a subscription for it.
    ///
    /// During a pause too: the serializer keeps the value. A subscription would keep it apart, and what is sent when the pause is over,
    /// but before that subscription goes on, would overtake it.
    @inlinable
    func take(_ scalar: Scalar<Value, Failure>) {
        switch scalar.event {
        case .value(let value): serializer.send(value)
        case .ended(.completed): break
        case .ended(.failed(let failure)): fail(failure)
        }
    }

    /// One input has ended: it is released, and so are the others if it failed (law 6).
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
            inputs.dispose()
            serializer.send(termination: .completed)
        }
    }

    @inlinable
    func fail(_ failure: Failure) {
        inputs.dispose()
        serializer.send(termination: .failed(failure))
    }
}
