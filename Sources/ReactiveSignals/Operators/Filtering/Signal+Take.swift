public import ReactiveCore

extension Signal {
    /// Sends the first `count` values and completes with the last of them.
    ///
    /// Zero and less: completes at once, without subscribing.
    @inlinable
    public func take(_ count: Int) -> Signal {
        guard count > 0 else { return .empty }
        return Signal(start: { [start] sink, subscription in start(TakeSink(sink, count), subscription) })
    }

    /// Sends what comes until `trigger` sends a value or completes, and completes then.
    ///
    /// `trigger` is subscribed first: if it sends at once, the signal is not subscribed to. It is heard also during a pause,
    /// and then releases the signal at once (law 6): values that have come this far come before the end (law 11), those
    /// that a source further up holds back are released with it.
    @inlinable
    public func take<Trigger: Sendable>(until trigger: Signal<Trigger, Never>) -> Signal {
        Signal(start: { [start] sink, subscription in
            let serializer = EventSerializer(sink, subscription)
            let inputs = subscription.makeChild()
            let end: (Termination<Failure>) -> Void = { termination in
                inputs.dispose()
                serializer.send(termination: termination)
            }
            let input = inputs.makeChild()
            // Its own rather than a child: it does not wait with the others.
            let listening = SignalSubscription()
            inputs.onDispose { listening.dispose() }
            trigger.start(RelaySink({ _ in end(.completed) }, { _ in end(.completed) }), listening)
            guard !input.isDisposed else { return }
            start(RelaySink({ serializer.send($0) }, end), input)
        })
    }
}

@usableFromInline
final class TakeSink<Value: Sendable, Failure: Error>: Sink<Value, Failure> {
    @usableFromInline
    let next: Sink<Value, Failure>

    @safe @exclusivity(unchecked)
    @usableFromInline
    var remaining: Int

    @inlinable
    init(_ next: Sink<Value, Failure>, _ remaining: Int) {
        self.next = next
        self.remaining = remaining
    }

    @inlinable
    override func receive(_ value: Value) {
        let left = remaining - 1
        // The source may go on for a while after the last one.
        guard left >= 0 else { return }
        remaining = left
        next.receive(value)
        if left == 0 { next.receive(termination: .completed) }
    }

    @inlinable
    override func receive(termination: Termination<Failure>) {
        guard remaining > 0 else { return }
        remaining = 0
        next.receive(termination: termination)
    }
}
