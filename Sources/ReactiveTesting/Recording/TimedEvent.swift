public import ReactiveCore

/// Something that happened on a signal, and when.
public struct TimedEvent<Value: Sendable, Failure: Error>: Sendable {
    /// The time since the recording or the source began.
    public var time: Duration
    /// What happened.
    public var event: Event<Value, Failure>

    /// Makes an event from its parts.
    public init(_ time: Duration, _ event: Event<Value, Failure>) {
        self.time = time
        self.event = event
    }

    /// A value at `time`.
    public static func value(_ value: Value, at time: Duration) -> TimedEvent { TimedEvent(time, .value(value)) }

    /// Completion at `time`.
    public static func completed(at time: Duration) -> TimedEvent { TimedEvent(time, .ended(.completed)) }

    /// A failure at `time`.
    public static func failed(_ failure: Failure, at time: Duration) -> TimedEvent {
        TimedEvent(time, .ended(.failed(failure)))
    }
}

extension TimedEvent: Equatable where Value: Equatable, Failure: Equatable {}

extension TimedEvent: CustomStringConvertible {
    /// What happened and when, in a few characters.
    public var description: String {
        switch event {
        case .value(let value): "\(value) at \(time)"
        case .ended(.completed): "completed at \(time)"
        case .ended(.failed(let failure)): "failed with \(failure) at \(time)"
        }
    }
}
