// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSupport

/// Runs one signal after another into one sink, for `concat`, `then`, `retry` and `repeat`.
///
/// When a signal has terminated, `next` returns what follows. If nothing follows, the termination is sent at once. The
/// next signal waits until all teardowns of the previous one have returned, on any thread, so two signals never use the
/// same resource.
///
/// The holder of the ``DrainClaim`` starts signals in a loop, so signals that terminate immediately cause no recursion
/// (law 8). Only one signal sends at a time, so its values pass unchanged. `passing` decides whether a failure stays
/// behind the values, because another signal may follow it.
@usableFromInline
final class Succession<Value: Sendable, Failure: Error> {
    /// The step that follows a termination.
    @usableFromInline
    enum Step: Sendable {
        case start(Signal<Value, Failure>)
        /// Starts the signal after the duration.
        case wait(Duration, any TimedScheduler, Signal<Value, Failure>)
    }

    @usableFromInline
    let sink: Sink<Value, Failure>
    @usableFromInline
    let subscription: SignalSubscription
    @usableFromInline
    let passing: PausePassing
    @usableFromInline
    let next: (Termination<Failure>) -> Step?
    @usableFromInline
    let due = Lock<Signal<Value, Failure>?>(nil)
    @usableFromInline
    let claim = DrainClaim()

    @inlinable
    init(
        _ sink: Sink<Value, Failure>,
        _ subscription: SignalSubscription,
        _ passing: PausePassing,
        _ next: @escaping (Termination<Failure>) -> Step?
    ) {
        self.sink = sink
        self.subscription = subscription
        self.passing = passing
        self.next = next
    }

    /// Starts `signal`. If a call is starting another signal already, that call starts this one afterwards.
    @inlinable
    func start(_ signal: Signal<Value, Failure>) {
        // Returned from the closure, so it is released outside the lock. Normally it is `nil`.
        _ = due.withLock { due -> Signal<Value, Failure>? in
            let old = due
            due = signal
            return old
        }
        guard claim.announce() else { return }
        claim.drain {
            while !subscription.isDisposed, let signal = due.withLock({ $0.take() }) { run(signal) }
        }
    }

    @inlinable
    func run(_ signal: Signal<Value, Failure>) {
        let input = subscription.makeChild(passing: passing)
        signal.relay(in: input, { [sink] in sink.receive($0) }, { self.ended(input, $0) })
    }

    @inlinable
    func ended(_ input: SignalSubscription, _ termination: Termination<Failure>) {
        guard input.end(), !subscription.isDisposed else { return }
        guard let step = next(termination) else { return sink.receive(termination: termination) }
        if input.isTornDown { return perform(step) }
        let succession = UnsafeTransfer(self)
        // Another thread is still running a teardown, for example if a timeout has failed the signal.
        input.whenTornDown { input.restoring { succession.value.perform(step) } }
    }

    @inlinable
    func perform(_ step: Step) {
        if subscription.isDisposed { return }
        switch step {
        case .start(let signal): start(signal)
        case .wait(let delay, let scheduler, let signal):
            let succession = UnsafeTransfer(self)
            // A child, so that an elapsed delay leaves nothing in the subscription.
            let waiting = subscription.makeChild()
            let timer = subscription.carrying(scheduler).schedule(after: delay) {
                if waiting.end() { succession.value.start(signal) }
            }
            waiting.onDispose { timer.dispose() }
        }
    }
}
