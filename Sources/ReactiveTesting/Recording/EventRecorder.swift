// SPDX-License-Identifier: MIT
public import ReactiveCore
public import ReactiveSignals
import ReactiveSupport

/// Records the events that one subscription receives, with the virtual time since the creation of the recorder.
///
/// Any thread may send to it and read it.
public final class EventRecorder<Value: Sendable, Failure: Error>: Observer {
    /// The scheduler whose clock the recorder reads.
    public let scheduler: TestScheduler
    /// The recorded subscription. A test may pause and dispose it.
    public let subscription: SignalSubscription

    let start: LoopInstant
    private let recorded = Lock<[TimedEvent<Value, Failure>]>([])

    /// Creates a recorder that has not subscribed to a signal. See ``TestScheduler/record(_:in:file:line:)``.
    public init(_ scheduler: TestScheduler, in subscription: SignalSubscription = SignalSubscription()) {
        self.scheduler = scheduler
        self.subscription = subscription
        start = scheduler.now
    }

    /// The events received so far, with their times.
    public var events: [TimedEvent<Value, Failure>] { recorded.withLock { $0 } }

    /// The values received so far.
    public var values: [Value] {
        events.compactMap { if case .value(let value) = $0.event { value } else { nil } }
    }

    /// The termination of the signal, or `nil` if it has not terminated.
    public var termination: Termination<Failure>? {
        if case .ended(let termination)? = events.last?.event { termination } else { nil }
    }

    /// Records a value.
    public func receive(_ value: Value) { add(.value(value)) }

    /// Records the termination.
    public func receive(termination: Termination<Failure>) { add(.ended(termination)) }

    private func add(_ event: Event<Value, Failure>) {
        let time = scheduler.now - start
        recorded.withLock { $0.append(TimedEvent(time, event)) }
    }
}

extension TestScheduler {
    /// Subscribes to `signal` now, and records the events that it sends. `file` and `line` identify the call in the
    /// `LiveGraph`.
    public func record<Value: Sendable, Failure: Error>(
        _ signal: Signal<Value, Failure>,
        in subscription: SignalSubscription = SignalSubscription(),
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> EventRecorder<Value, Failure> {
        let recorder = EventRecorder<Value, Failure>(self, in: subscription)
        if LiveGraph.isOn { LiveGraph.track(subscription, file, line) }
        signal.subscribe(recorder, in: subscription)
        return recorder
    }
}
