public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

/// Writes down what one subscription receives, and when, in virtual time since the recorder was made.
///
/// Any thread may send to it and read it.
public final class EventRecorder<Value: Sendable, Failure: Error>: Observer {
    /// The scheduler whose clock it reads.
    public let scheduler: TestScheduler
    /// The subscription that it records: to be paused, resumed, disposed.
    public let subscription: SignalSubscription

    let start: LoopInstant
    private let recorded = Lock<[TimedEvent<Value, Failure>]>([])

    /// Makes a recorder that subscribes to nothing; see ``TestScheduler/record(_:in:)``.
    public init(_ scheduler: TestScheduler, in subscription: SignalSubscription = SignalSubscription()) {
        self.scheduler = scheduler
        self.subscription = subscription
        start = scheduler.now
    }

    /// What has come so far, with its times.
    public var events: [TimedEvent<Value, Failure>] { recorded.withLock { $0 } }

    /// The values that have come so far.
    public var values: [Value] {
        events.compactMap { if case .value(let value) = $0.event { value } else { nil } }
    }

    /// The end, if it has come.
    public var termination: Termination<Failure>? {
        if case .ended(let termination)? = events.last?.event { termination } else { nil }
    }

    /// Writes down a value.
    public func receive(_ value: Value) { add(.value(value)) }

    /// Writes down the end.
    public func receive(termination: Termination<Failure>) { add(.ended(termination)) }

    private func add(_ event: Event<Value, Failure>) {
        let time = scheduler.now - start
        recorded.withLock { $0.append(TimedEvent(time, event)) }
    }
}

extension TestScheduler {
    /// Subscribes to `signal` now, and records what comes.
    public func record<Value: Sendable, Failure: Error>(
        _ signal: Signal<Value, Failure>,
        in subscription: SignalSubscription = SignalSubscription()
    ) -> EventRecorder<Value, Failure> {
        let recorder = EventRecorder<Value, Failure>(self, in: subscription)
        signal.subscribe(recorder, in: subscription)
        return recorder
    }
}
