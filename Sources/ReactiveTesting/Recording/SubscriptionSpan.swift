// SPDX-License-Identifier: MIT
/// The times at which one subscription to a test source began and ended.
///
/// Two times are equal if they are less than one nanosecond apart, as in ``TimedEvent``.
public struct SubscriptionSpan: Sendable, Hashable, CustomStringConvertible {
    /// The time from the creation of the source to the beginning of the subscription.
    public var start: Duration
    /// The time from the creation of the source to the end of the subscription, by disposal or by termination. `nil`
    /// means that it has not ended.
    public var end: Duration?

    /// Creates a span.
    public init(_ start: Duration, _ end: Duration? = nil) {
        self.start = start
        self.end = end
    }

    /// The two times, rounded to the nearest nanosecond, for messages.
    public var description: String {
        let start = start.roundedToNanosecond
        return end.map { "\(start) to \($0.roundedToNanosecond)" } ?? "\(start) on"
    }

    /// Whether the starts of the two spans, and also their ends, are less than one nanosecond apart.
    public static func == (lhs: SubscriptionSpan, rhs: SubscriptionSpan) -> Bool {
        guard lhs.start.isSameNanosecond(as: rhs.start) else { return false }
        return switch (lhs.end, rhs.end) {
        case (nil, nil): true
        case (let end?, let other?): end.isSameNanosecond(as: other)
        case (nil, _?), (_?, nil): false
        }
    }

    /// Hashes whether the subscription has ended. Equal times can differ in a fraction, so they are not hashed.
    public func hash(into hasher: inout Hasher) { hasher.combine(end == nil) }
}
