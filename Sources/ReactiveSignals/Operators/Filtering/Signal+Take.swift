// SPDX-License-Identifier: MIT
public import ReactiveCore

extension Signal {
    /// Sends the first `count` values, then completes.
    ///
    /// The source is released before the observer receives the completion ([law 6](doc:LawsOfSignals)). Zero or less
    /// completes immediately, without subscribing.
    @inlinable
    public func take(_ count: Int) -> Signal {
        guard count > 0 else { return .empty }
        return Signal(start: { [start] sink, subscription in start(TakeSink(sink, count), subscription) })
    }

    /// Sends the signal's events until `trigger` sends a value or completes, then completes.
    ///
    /// `trigger` is subscribed first. If it sends or terminates immediately, the signal is not subscribed to. A failure
    /// of `trigger` fails the result. If the signal or `trigger` cannot fail, it adopts the failure type of the other
    /// one.
    ///
    /// A pause of the result does not pause `trigger`. If `trigger` sends or terminates during a pause, the signal is
    /// released immediately ([law 6](doc:LawsOfSignals)). Values that have reached this operator are sent before the
    /// termination. Values that the source buffers are dropped.
    @inlinable
    public func take<Trigger: Sendable>(until trigger: Signal<Trigger, Failure>) -> Signal {
        Signal(start: { sink, subscription in
            let junction = Junction(sink, subscription)
            let end: (Termination<Failure>) -> Void = { junction.receive(termination: $0) }
            let input = junction.inputs.makeChild()
            // A pause of the result must not pause `trigger`.
            let listening = junction.inputs.makeChild(passing: .nothing)
            trigger.relay(in: listening, { _ in end(.completed) }, end)
            guard !input.isDisposed else { return }
            relay(in: input, { junction.receive($0) }, end)
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
        // The source may still send after the completion.
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
