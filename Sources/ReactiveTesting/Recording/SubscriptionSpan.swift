/// When a test source was subscribed to, and when it was let go of.
public struct SubscriptionSpan: Sendable, Hashable, CustomStringConvertible {
    /// When it began, since the source was made.
    public var start: Duration
    /// When it ended, by disposal or with the signal; nil while it lasts.
    public var end: Duration?

    /// Makes a span from its parts.
    public init(_ start: Duration, _ end: Duration? = nil) {
        self.start = start
        self.end = end
    }

    /// From when to when, for people.
    public var description: String { end.map { "\(start) to \($0)" } ?? "\(start) on" }
}
