/// A point in time of a scheduler's monotonic clock, in whole nanoseconds.
///
/// On the real loops the clock is the system's `CLOCK_MONOTONIC`: it never goes back and does not follow changes of the
/// wall clock. On a virtual clock it is whatever that clock says. Instants of different clocks do not compare sensibly.
/// Arithmetic saturates at ``distantPast`` and ``distantFuture``: no duration is too large (rule T17).
public struct LoopInstant: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Nanoseconds since the clock's origin.
    public var nanoseconds: Int64

    /// Makes an instant from nanoseconds since the clock's origin.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The earliest instant.
    public static let distantPast = LoopInstant(nanoseconds: .min)

    /// An instant that is never reached: a timer set to it does not fire.
    public static let distantFuture = LoopInstant(nanoseconds: .max)

    @inlinable
    public static func < (lhs: LoopInstant, rhs: LoopInstant) -> Bool {
        lhs.nanoseconds < rhs.nanoseconds
    }

    /// The instant `duration` later, or earlier where it is negative; a part of a nanosecond counts as a whole one.
    ///
    /// Rounding is upward so that a timer set with the result is never early (rule T1).
    public func advanced(by duration: Duration) -> LoopInstant {
        advanced(byNanoseconds: duration.saturatedNanoseconds)
    }

    /// The same, where the duration is known in nanoseconds.
    @inlinable
    package func advanced(byNanoseconds count: Int64) -> LoopInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(count)
        if overflow { return nanoseconds < 0 ? .distantPast : .distantFuture }
        return LoopInstant(nanoseconds: sum)
    }

    /// The time from this instant to `other`, negative where `other` is earlier.
    public func duration(to other: LoopInstant) -> Duration {
        let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
        if overflow { return .nanoseconds(other.nanoseconds < nanoseconds ? Int64.min : Int64.max) }
        return .nanoseconds(difference)
    }

    /// The instant `duration` later, as ``advanced(by:)`` calculates it.
    public static func + (instant: LoopInstant, duration: Duration) -> LoopInstant {
        instant.advanced(by: duration)
    }

    /// The time from `earlier` to `later`, negative if `earlier` is after `later`. It saturates.
    public static func - (later: LoopInstant, earlier: LoopInstant) -> Duration {
        earlier.duration(to: later)
    }

    public var description: String { "\(nanoseconds)ns" }
}
