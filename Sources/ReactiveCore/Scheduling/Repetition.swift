// SPDX-License-Identifier: MIT
/// The interval of a repeating timer, and the instant from which each interval is measured.
public struct Repetition: Sendable, Hashable {
    /// The instant from which an interval is measured.
    public enum Base: Sendable, Hashable {
        /// The first deadline. A firing is due every interval, however long the work takes.
        case rate
        /// The return of the work. The next firing is due one interval later.
        case delay
    }

    /// The instant from which the interval is measured.
    public var base: Base
    /// The time between two firings. With zero or less the timer fires in every turn (rule T16).
    public var interval: Duration

    /// Fires at the first deadline plus a multiple of the interval, without drift. One firing replaces all missed ones
    /// (rule T13).
    public static func fixedRate(_ interval: Duration) -> Repetition { Repetition(base: .rate, interval: interval) }

    /// Fires one interval after the work of the previous firing has returned (rule T14).
    public static func fixedDelay(_ interval: Duration) -> Repetition { Repetition(base: .delay, interval: interval) }
}
