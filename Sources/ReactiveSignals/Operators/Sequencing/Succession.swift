public import ReactiveCore
public import ReactiveSupport

/// One signal after another, into one sink: what `concat`, `then`, `flatMapError`, `retry` and `repeat` have in common.
///
/// When one has ended it is released, and `next` asked for what follows. Starting is done by whoever holds the claim, in a
/// loop: signals that end at once follow one another without recursion (law 8). Only one of them sends at a time, so what
/// they send is passed on as it comes. Where something may follow a failure it keeps its place behind the values: `passing` says so.
@usableFromInline
final class Succession<Value: Sendable, Break: Error, Failure: Error> {
    /// What follows an end.
    @usableFromInline
    enum Step: Sendable {
        case start(Signal<Value, Break>)
        /// The same, some time later.
        case wait(Duration, any TimedScheduler, Signal<Value, Break>)
        case end(Termination<Failure>)
    }

    @usableFromInline
    let sink: Sink<Value, Failure>
    @usableFromInline
    let subscription: SignalSubscription
    @usableFromInline
    let passing: PausePassing
    @usableFromInline
    let next: (Termination<Break>) -> Step
    @usableFromInline
    let due = Lock<Signal<Value, Break>?>(nil)
    @usableFromInline
    let claim = DrainClaim()

    @inlinable
    init(
        _ sink: Sink<Value, Failure>,
        _ subscription: SignalSubscription,
        _ passing: PausePassing,
        _ next: @escaping (Termination<Break>) -> Step
    ) {
        self.sink = sink
        self.subscription = subscription
        self.passing = passing
        self.next = next
    }

    /// Starts `signal`, as soon as whoever is starting another one has returned.
    @inlinable
    func start(_ signal: Signal<Value, Break>) {
        // The old one is part of the result so that it is released outside the lock; there is none.
        _ = due.withLock { due -> Signal<Value, Break>? in
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
    func run(_ signal: Signal<Value, Break>) {
        let input = subscription.makeChild(passing: passing)
        signal.relay(in: input, { [sink] in sink.receive($0) }, { self.ended(input, $0) })
    }

    @inlinable
    func ended(_ input: SignalSubscription, _ termination: Termination<Break>) {
        guard input.end(), !subscription.isDisposed else { return }
        switch next(termination) {
        case .start(let signal): start(signal)
        case .wait(let delay, let scheduler, let signal):
            let succession = UnsafeTransfer(self)
            // A child, so that a wait that is over leaves nothing behind in the subscription.
            let waiting = subscription.makeChild()
            let timer = scheduler.schedule(after: delay) {
                if waiting.end() { succession.value.start(signal) }
            }
            waiting.onDispose { timer.dispose() }
        case .end(let termination): sink.receive(termination: termination)
        }
    }
}
