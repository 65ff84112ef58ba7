// SPDX-License-Identifier: MIT
/// An instant of a scheduler's monotonic clock, in whole nanoseconds.
///
/// The clock of a real loop is the system's `CLOCK_MONOTONIC`: it never goes back, and ignores changes of the wall
/// clock (rule T20). Instants of different clocks cannot be compared. Arithmetic saturates at ``distantPast`` and
/// ``distantFuture`` instead of trapping (rule T17).
public struct LoopInstant: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Nanoseconds since the clock's origin.
    public var nanoseconds: Int64

    /// Creates an instant from nanoseconds since the clock's origin.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The earliest instant.
    public static let distantPast = LoopInstant(nanoseconds: .min)

    /// The latest instant. No clock reaches it, so a timer for it never fires.
    public static let distantFuture = LoopInstant(nanoseconds: .max)

    @inlinable
    public static func < (lhs: LoopInstant, rhs: LoopInstant) -> Bool {
        lhs.nanoseconds < rhs.nanoseconds
    }

    /// The instant that is `duration` later, or earlier if `duration` is negative. The result saturates.
    ///
    /// `duration` is rounded up to whole nanoseconds, so that a timer for the result never fires early (rule T1).
    public func advanced(by duration: Duration) -> LoopInstant {
        advanced(byNanoseconds: duration.saturatedNanoseconds)
    }

    /// The instant that is `count` nanoseconds later. The result saturates.
    @inlinable
    package func advanced(byNanoseconds count: Int64) -> LoopInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(count)
        if overflow { return nanoseconds < 0 ? .distantPast : .distantFuture }
        return LoopInstant(nanoseconds: sum)
    }

    /// The time from this instant to `other`. It is negative if `other` is earlier. The result saturates.
    public func duration(to other: LoopInstant) -> Duration {
        let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
        if overflow { return .nanoseconds(other.nanoseconds < nanoseconds ? Int64.min : Int64.max) }
        return .nanoseconds(difference)
    }

    /// The instant that is `duration` later. See ``advanced(by:)``.
    public static func + (instant: LoopInstant, duration: Duration) -> LoopInstant {
        instant.advanced(by: duration)
    }

    /// The time from `earlier` to `later`. It is negative if `later` precedes `earlier`. The result saturates.
    public static func - (later: LoopInstant, earlier: LoopInstant) -> Duration {
        earlier.duration(to: later)
    }

    public var description: String { "\(nanoseconds)ns" }
}
