// SPDX-License-Identifier: MIT
/// When one subscription to a test source began and ended.
public struct SubscriptionSpan: Sendable, Hashable, CustomStringConvertible {
    /// When the subscription began, counted from the creation of the source.
    public var start: Duration
    /// When the subscription ended, by disposal or by termination, counted from the creation of the source; nil while
    /// it lasts.
    public var end: Duration?

    /// Makes a span.
    public init(_ start: Duration, _ end: Duration? = nil) {
        self.start = start
        self.end = end
    }

    /// The two times, for messages.
    public var description: String { end.map { "\(start) to \($0)" } ?? "\(start) on" }
}
