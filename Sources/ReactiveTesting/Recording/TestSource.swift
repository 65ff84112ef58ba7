public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

/// A source that sends what a test has written down, and records when it was subscribed to.
///
/// A cold one begins anew for each subscription; a hot one began when it was made, and sends to whoever is there. The work
/// is the scheduler's: nothing is sent before the test advances, also what is due at once. A pause is obeyed; what falls into
/// it waits.
public final class TestSource<Value: Sendable, Failure: Error>: SignalSource {
    private let scheduler: TestScheduler
    private let events: [TimedEvent<Value, Failure>]
    private let start: LoopInstant
    /// Where a hot one sends; nil for a cold one.
    private let subject: Subject<Value, Failure>?
    private let spans = Lock<[SubscriptionSpan]>([])

    init(_ scheduler: TestScheduler, _ events: [TimedEvent<Value, Failure>], isHot: Bool) {
        self.scheduler = scheduler
        self.events = events
        start = scheduler.now
        subject = isHot ? Subject() : nil
        guard let subject else { return }
        for event in events where event.time >= .zero {
            _ = scheduler.schedule(at: start + event.time, options: TimerOptions()) { event.event.send(to: subject) }
        }
    }

    /// When it was subscribed to, and let go of, in the order of the subscriptions.
    public var subscriptions: [SubscriptionSpan] { spans.withLock { $0 } }

    /// The source as a signal, for operators.
    public var signal: Signal<Value, Failure> {
        // The source itself, not just its parts: it writes down the subscriptions.
        Signal { [self] emitter, subscription in begin(emitter, subscription) }
    }

    /// Starts sending to `observer`, until the end or until `subscription` is disposed.
    public func subscribe<O: Observer>(_ observer: O, in subscription: some Subscription)
    where O.Value == Value, O.Failure == Failure {
        signal.subscribe(observer, in: subscription)
    }

    private func begin(_ emitter: Emitter<Value, Failure>, _ subscription: SignalSubscription) {
        let index = spans.withLock { spans in
            spans.append(SubscriptionSpan(scheduler.now - start))
            return spans.count - 1
        }
        subscription.onDispose { [self] in
            let end = scheduler.now - start
            spans.withLock { $0[index].end = end }
        }
        if let subject { return subject.subscribe(emitter, in: subscription) }
        let begin = scheduler.now
        let timers = events.map { event in
            scheduler.schedule(at: begin + event.time, options: TimerOptions()) { event.event.send(to: emitter) }
        }
        subscription.onDispose { for timer in timers { timer.dispose() } }
    }
}

extension TestScheduler {
    /// Makes a source that sends `events` to each subscriber anew, at their times after it has subscribed.
    public func cold<Value: Sendable, Failure: Error>(
        _ events: [TimedEvent<Value, Failure>]
    ) -> TestSource<Value, Failure> {
        TestSource(self, events, isHot: false)
    }

    /// Makes a source that sends `events` at their times from now, to whoever is subscribed then.
    public func hot<Value: Sendable, Failure: Error>(
        _ events: [TimedEvent<Value, Failure>]
    ) -> TestSource<Value, Failure> {
        TestSource(self, events, isHot: true)
    }
}

extension Event {
    fileprivate func send<O: Observer>(to observer: O) where O.Value == Value, O.Failure == Failure {
        switch self {
        case .value(let value): observer.receive(value)
        case .ended(let termination): observer.receive(termination: termination)
        }
    }
}
