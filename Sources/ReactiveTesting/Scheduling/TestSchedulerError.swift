public import ReactiveCore

/// A test scheduler that was to run until nothing is due, and had not come there after as many steps as it was allowed.
public struct TestSchedulerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// How many pieces of work it has run.
    public let limit: Int
    /// Where the clock stands.
    public let now: LoopInstant
    /// The deadline of what would have run next.
    public let next: LoopInstant
    /// How many pieces of work wait.
    public let waiting: Int

    /// What has happened, and what to look for.
    public var description: String {
        let hint =
            next <= now
            ? "work that schedules itself again at once, or a timer without an interval, never lets time pass"
            : "a repeating timer never ends: dispose it, or advance by a duration instead"
        return "stopped after \(limit) pieces of work at \(now), with \(waiting) waiting, the next for \(next): \(hint)"
    }
}
