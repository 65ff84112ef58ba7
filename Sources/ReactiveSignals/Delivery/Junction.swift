// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

/// Serializes the events of several threads or of nested calls, and an operator's inputs, timers and triggers: it
/// delivers one event or runs one step at a time, from any thread.
///
/// If the junction is free, a step runs immediately. Otherwise it is queued, and the thread that is running steps runs
/// it (laws 2 and 4). So an operator's state is plain variables. No call recurses or waits, and no lock is held while
/// the sink is called. A received event needs no closure. Steps run during a pause too, and the values that they send
/// wait in the ``PausableSink`` (law 11). `policy` limits only these. `inputs` is the only input, or the parent of all
/// inputs. It ends with the termination, even if that waits downstream (law 6). Any thread may call `receive` and
/// `run`. Only steps call `send` and `end`. Only the holder of the claim accesses the variables, so an `UnsafeTransfer`
/// may carry a junction to another thread.
@usableFromInline
package final class Junction<Value: Sendable, Failure: Error> {
    /// A step that waits for another one.
    @usableFromInline
    enum Step: Sendable {
        /// Sends a received event. It needs no allocation.
        case event(Event<Value, Failure>)
        case call(UnsafeTransfer<() -> Void>)
    }

    @usableFromInline
    let claim = DrainClaim()
    @usableFromInline
    let steps = Lock(FIFO<Step>())
    @usableFromInline
    let subscription: SignalSubscription
    @usableFromInline
    package let inputs: SignalSubscription

    @safe @exclusivity(unchecked)
    @usableFromInline
    var sink: PausableSink<Value, Failure>

    @inlinable
    package convenience init(
        _ sink: Sink<Value, Failure>,
        _ subscription: SignalSubscription,
        _ name: StaticString = #function
    ) {
        self.init(sink, subscription, inputs: subscription.makeChild(name))
    }

    @inlinable
    init(
        _ sink: Sink<Value, Failure>,
        _ subscription: SignalSubscription,
        inputs: SignalSubscription,
        _ policy: BufferPolicy = .unbounded
    ) {
        self.sink = PausableSink(sink, subscription, policy)
        self.subscription = subscription
        self.inputs = inputs
        // Weak: the source retains the junction, and the junction retains the subscription.
        let junction = UnsafeTransfer(WeakHandle(self))
        subscription.onChange { change in if change != .paused { junction.value.object?.wake() } }
    }

    /// Whether the operator has terminated. The junction then runs no more steps of it, and the sink drops later events.
    @inlinable
    var isOver: Bool { sink.hasEnded }

    /// Sends a value, now or after the steps that are queued.
    @inlinable
    func receive(_ value: Value) {
        guard claim.take() else { return queue(.event(.value(value))) }
        sink.receive(value, keeping: self)
        finish()
    }

    /// Disposes the inputs immediately, then sends the termination after the steps that are queued.
    @inlinable
    func receive(termination: Termination<Failure>) {
        inputs.dispose()
        queue(.event(.ended(termination)))
    }

    /// Runs a step, now or after those that are queued.
    @inlinable
    package func run<Input>(_ input: Input, _ step: @escaping (Input) -> Void) {
        guard claim.take() else { return queue(input, step) }
        if !isOver { step(input) }
        finish()
    }

    /// Runs a step now. Returns false, without running it, if another step is running.
    @inlinable
    package func runIfFree<Input>(_ input: Input, _ step: (Input) -> Void) -> Bool {
        guard claim.take() else { return false }
        if !isOver { step(input) }
        finish()
        return true
    }

    /// Sends a value. During a pause, the value waits.
    @inlinable
    package func send(_ value: Value) { sink.receive(value, keeping: self) }

    /// Disposes the inputs, then sends the termination, behind the values that wait.
    @inlinable
    package func end(_ termination: Termination<Failure>) {
        if isOver { return }
        inputs.dispose()
        sink.receive(termination: termination, keeping: self)
    }

    @inlinable
    @inline(never)
    package func queue<Input>(_ input: Input, _ step: @escaping (Input) -> Void) {
        queue(.call(UnsafeTransfer { step(input) }))
    }

    /// Queues a step, and runs it unless another call is running steps.
    @inlinable
    @inline(never)
    func queue(_ step: Step) {
        steps.withLock { $0.append(step) }
        wake()
    }

    /// Sends the waiting events and runs the queued steps. If another call is running steps, that call does it.
    @inlinable
    func wake() {
        if claim.announce() { drain() }
    }

    /// Releases the claim, after running the steps that were queued.
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
                switch step {
                case .event(let event): sink.receive(event, keeping: self)
                case .call(let call): if !isOver, !subscription.isDisposed { call.value() }
                }
            }
        }
    }
}

extension Junction {
    /// Subscribes to one input. Each of its events is a step. The input is released when it terminates.
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

    /// Subscribes to one input that is paused with the others.
    @inlinable
    func join<Input: Sendable, Break: Error>(
        _ signal: Signal<Input, Break>,
        onValue: @escaping (Input) -> Void,
        onTermination: @escaping (Termination<Break>) -> Void
    ) {
        join(signal, in: inputs.makeChild("input"), onValue: onValue, onTermination: onTermination)
    }
}
