// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

/// A source that sends the events that a test specifies, and records its subscriptions.
///
/// A cold source sends all its events to each subscriber. A hot source starts when it is created, and sends to its
/// current subscribers. The scheduler runs this work, so nothing is sent before the test advances the clock, not even
/// events that are due immediately. Events that are due while a subscriber is paused reach it after the pause.
public final class TestSource<Value: Sendable, Failure: Error>: SignalSource {
    private let scheduler: TestScheduler
    private let events: [TimedEvent<Value, Failure>]
    private let start: LoopInstant
    /// The subject that a hot source sends to, or `nil` for a cold source.
    private let subject: Subject<Value, Failure>?
    private let spans = Lock<[SubscriptionSpan]>([])

    init(_ scheduler: TestScheduler, _ events: [TimedEvent<Value, Failure>], isHot: Bool) {
        self.scheduler = scheduler
        // A `Duration` that is created from a `Double` has a fraction of a nanosecond, which a deadline would round up.
        self.events = events.map { TimedEvent($0.time.roundedToNanosecond, $0.event) }
        start = scheduler.now
        subject = isHot ? Subject() : nil
        guard let subject else { return }
        for event in self.events where event.time >= .zero {
            _ = scheduler.schedule(at: start + event.time, options: TimerOptions()) { event.event.send(to: subject) }
        }
    }

    /// The spans of all subscriptions, in the order in which they began.
    public var subscriptions: [SubscriptionSpan] { spans.withLock { $0 } }

    /// The source as a signal, for operators.
    public var signal: Signal<Value, Failure> {
        // Captures the source itself, because the source records the subscriptions.
        if let subject {
            // Not through an emitter: that would keep a failure behind values which only an operator delays (law 9).
            return .starting { [self] sink, subscription in
                guard !subscription.isDisposed else { return }
                record(subscription)
                subject.signal.relay(in: subscription, { sink.receive($0) }, { sink.receive(termination: $0) })
            }
        }
        return Signal { [self] emitter, subscription in
            record(subscription)
            send(to: emitter, subscription)
        }
    }

    /// Subscribes `observer`, until the source terminates or `subscription` is disposed.
    public func subscribe<O: Observer>(_ observer: O, in subscription: some Subscription)
    where O.Value == Value, O.Failure == Failure {
        signal.subscribe(observer, in: subscription)
    }

    private func record(_ subscription: SignalSubscription) {
        let index = spans.withLock { spans in
            spans.append(SubscriptionSpan(scheduler.now - start))
            return spans.count - 1
        }
        subscription.onDispose { [self] in
            let end = scheduler.now - start
            spans.withLock { $0[index].end = end }
        }
    }

    private func send(to emitter: Emitter<Value, Failure>, _ subscription: SignalSubscription) {
        let begin = scheduler.now
        let timers = events.map { event in
            scheduler.schedule(at: begin + event.time, options: TimerOptions()) { event.event.send(to: emitter) }
        }
        subscription.onDispose { for timer in timers { timer.dispose() } }
    }
}

extension TestScheduler {
    /// Creates a cold source: each subscriber receives `events` at their times after its subscription. Times are
    /// rounded to the nearest nanosecond.
    public func cold<Value: Sendable, Failure: Error>(
        _ events: [TimedEvent<Value, Failure>]
    ) -> TestSource<Value, Failure> {
        TestSource(self, events, isHot: false)
    }

    /// Creates a hot source, which sends `events` to its current subscribers. The times count from now. Events with a
    /// negative time are dropped. Times are rounded to the nearest nanosecond.
    public func hot<Value: Sendable, Failure: Error>(
        _ events: [TimedEvent<Value, Failure>]
    ) -> TestSource<Value, Failure> {
        TestSource(self, events, isHot: true)
    }

    /// Creates a cold source of `events` whose failures have the type `failure`. Use it where the events alone do not
    /// determine the type; see ``cold(_:)->TestSource<Value,Failure>``.
    public func cold<Value: Sendable, Failure: Error>(
        _ events: [TimedEvent<Value, Failure>],
        failure: Failure.Type
    ) -> TestSource<Value, Failure> {
        cold(events)
    }

    /// Creates a hot source of `events` whose failures have the type `failure`. Use it where the events alone do not
    /// determine the type; see ``hot(_:)->TestSource<Value,Failure>``.
    public func hot<Value: Sendable, Failure: Error>(
        _ events: [TimedEvent<Value, Failure>],
        failure: Failure.Type
    ) -> TestSource<Value, Failure> {
        hot(events)
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
