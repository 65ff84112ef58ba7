/// When a repeating timer fires again.
public struct Repetition: Sendable, Hashable {
    /// The two ways to count the interval.
    public enum Base: Sendable, Hashable {
        /// The k-th firing is due at the first one plus k intervals, whatever the work takes.
        case rate
        /// The next firing is due one interval after the work has returned.
        case delay
    }

    /// How the interval is counted.
    public var base: Base
    /// The time between two firings. Zero and less mean: every turn (rule T16).
    public var interval: Duration

    /// Fires at the first instant plus k intervals, without drift; firings that were missed are made up by one (rule T13).
    public static func fixedRate(_ interval: Duration) -> Repetition { Repetition(base: .rate, interval: interval) }

    /// Fires one interval after the work of the previous firing has returned (rule T14).
    public static func fixedDelay(_ interval: Duration) -> Repetition { Repetition(base: .delay, interval: interval) }
}
