// SPDX-License-Identifier: MIT
public import ReactiveCore

/// An event of a signal, with its time.
///
/// Two times are equal if they are less than one nanosecond apart. Recorded times are whole nanoseconds, and a
/// `Duration` that is created from a `Double` has a fraction: `.seconds(3.8)` equals a recorded 3.8 seconds. So a
/// time with a fraction equals the whole nanosecond before it and the one after it. These two are not equal to each
/// other. To distinguish adjacent nanoseconds, use times without a fraction.
public struct TimedEvent<Value: Sendable, Failure: Error>: Sendable {
    /// The time since the creation of the recorder or the hot source, or since the subscription to a cold source.
    public var time: Duration
    /// The event.
    public var event: Event<Value, Failure>

    /// Creates an event at a time.
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

extension TimedEvent: Equatable where Value: Equatable, Failure: Equatable {
    /// Whether the events are equal, and their times less than one nanosecond apart.
    public static func == (lhs: TimedEvent, rhs: TimedEvent) -> Bool {
        lhs.time.isSameNanosecond(as: rhs.time) && lhs.event == rhs.event
    }
}

extension TimedEvent: CustomStringConvertible {
    /// The event and its time, rounded to the nearest nanosecond, for messages.
    public var description: String {
        let time = time.roundedToNanosecond
        return switch event {
        case .value(let value): "\(value) at \(time)"
        case .ended(.completed): "completed at \(time)"
        case .ended(.failed(let failure)): "failed with \(failure) at \(time)"
        }
    }
}
