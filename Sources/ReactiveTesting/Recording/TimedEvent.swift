// SPDX-License-Identifier: MIT
public import ReactiveCore

/// An event of a signal, with its time.
public struct TimedEvent<Value: Sendable, Failure: Error>: Sendable {
    /// The time since the creation of the recorder or the hot source, or since the subscription to a cold source.
    public var time: Duration
    /// The event.
    public var event: Event<Value, Failure>

    /// Makes an event at a time.
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
    /// The event and its time, for messages.
    public var description: String {
        switch event {
        case .value(let value): "\(value) at \(time)"
        case .ended(.completed): "completed at \(time)"
        case .ended(.failed(let failure)): "failed with \(failure) at \(time)"
        }
    }
}
