public import ReactiveCore
public import ReactiveSupport

/// Where an operator's inputs, timers and triggers meet: one step at a time, whichever thread each comes from.
///
/// Whoever finds it free takes its step at once; all else is queued and done by the one who is there (laws 2 and 4), so an
/// operator's state is plain variables. Steps are taken during a pause too: what they send waits in the ``PausableSink`` (law 11).
/// The inputs are children of `inputs`, which ends with the operator, whatever holds it up further down (law 6). Any thread
/// may call `run`; `send` and `end` are for steps only. The variables belong to the holder of the claim, which is why a
/// junction may travel as `UnsafeTransfer`.
@usableFromInline
package final class Junction<Value: Sendable, Failure: Error> {
    @usableFromInline
    let claim = DrainClaim()
    @usableFromInline
    let steps = Lock(FIFO<UnsafeTransfer<() -> Void>>())
    @usableFromInline
    let subscription: SignalSubscription
    @usableFromInline
    package let inputs: SignalSubscription

    @safe @exclusivity(unchecked)
    @usableFromInline
    var sink: PausableSink<Value, Failure>

    @inlinable
    package init(
        _ sink: Sink<Value, Failure>,
        _ subscription: SignalSubscription,
        _ name: StaticString = #function
    ) {
        self.sink = PausableSink(sink, subscription, .unbounded)
        self.subscription = subscription
        inputs = subscription.makeChild(name)
        let junction = UnsafeTransfer(WeakHandle(self))
        subscription.onChange { change in if change != .paused { junction.value.object?.wake() } }
    }

    /// Whether the operator has sent its termination; no step is taken after that.
    @inlinable
    var isOver: Bool { sink.hasEnded }

    /// Takes a step, now or when it is its turn.
    @inlinable
    package func run<Input>(_ input: Input, _ step: @escaping (Input) -> Void) {
        guard claim.take() else { return queue(input, step) }
        if !isOver { step(input) }
        finish()
    }

    /// Takes a step now; false, and none is taken, where somebody else is at it.
    @inlinable
    package func runIfFree<Input>(_ input: Input, _ step: (Input) -> Void) -> Bool {
        guard claim.take() else { return false }
        if !isOver { step(input) }
        finish()
        return true
    }

    /// Sends a value, or keeps it while paused.
    @inlinable
    package func send(_ value: Value) { sink.receive(value, keeping: self) }

    /// Sends the termination, behind what waits, and disposes the inputs first.
    @inlinable
    package func end(_ termination: Termination<Failure>) {
        if isOver { return }
        inputs.dispose()
        sink.receive(termination: termination, keeping: self)
    }

    @inlinable
    @inline(never)
    package func queue<Input>(_ input: Input, _ step: @escaping (Input) -> Void) {
        let later = UnsafeTransfer { step(input) }
        steps.withLock { $0.append(later) }
        wake()
    }

    @inlinable
    func wake() {
        if claim.announce() { drain() }
    }

    /// Gives the claim back, after the steps that were queued meanwhile.
    @inlinable
    func finish() {
        var seen = 1
        if !claim.release(&seen) { drain(seen) }
    }

    @inlinable
    @inline(never)
    func drain(_ announced: Int = 1) {
        claim.drain(announced) {
            sink.flush(keeping: self)
            while let step = steps.withLock({ $0.popFirst() }) {
                if !isOver, !subscription.isDisposed { step.value() }
            }
        }
    }
}

extension Junction {
    /// Subscribes to one input; each of its events is a step. It is released as soon as it has ended.
    @inlinable
    func join<Input: Sendable, Break: Error>(
        _ signal: Signal<Input, Break>,
        in input: SignalSubscription,
        onValue: @escaping (Input) -> Void,
        onTermination: @escaping (Termination<Break>) -> Void
    ) {
        guard !input.isDisposed else { return }
        signal.start(
            RelaySink(
                { self.run($0, onValue) },
                { termination in if input.end() { self.run(termination, onTermination) } }
            ),
            input
        )
    }

    /// Subscribes to one input that waits with the others.
    @inlinable
    func join<Input: Sendable, Break: Error>(
        _ signal: Signal<Input, Break>,
        onValue: @escaping (Input) -> Void,
        onTermination: @escaping (Termination<Break>) -> Void
    ) {
        join(signal, in: inputs.makeChild("input"), onValue: onValue, onTermination: onTermination)
    }

    /// A subscription that ends with the inputs, but does not wait with them: for what is heard during a pause.
    @inlinable
    func makeListener() -> SignalSubscription {
        let listener = SignalSubscription()
        inputs.onDispose { listener.dispose() }
        return listener
    }
}
