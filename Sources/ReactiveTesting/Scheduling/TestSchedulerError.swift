// SPDX-License-Identifier: MIT
public import ReactiveCore

/// The error of a test scheduler that has run the allowed number of items and still has work that is due.
public struct TestSchedulerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The number of work items that it has run.
    public let limit: Int
    /// The instant of the clock.
    public let now: LoopInstant
    /// The deadline of the next work.
    public let next: LoopInstant
    /// The number of work items that wait.
    public let waiting: Int

    /// The error and its likely cause, for messages.
    public var description: String {
        let hint =
            next <= now
            ? "a job that reschedules itself at once, or a timer with an interval of zero, never lets time pass"
            : "a repeating timer never ends: dispose it, or advance by a duration instead"
        return "stopped after \(limit) jobs at \(now), with \(waiting) waiting, the next due at \(next): \(hint)"
    }
}
