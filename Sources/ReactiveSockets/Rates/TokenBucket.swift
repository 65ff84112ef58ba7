// SPDX-License-Identifier: MIT
public import ReactiveCore

/// Limits how often something happens, and permits bursts.
///
/// A new bucket is full. Tokens are added at a ``TokenRate``, and each action removes one. Without a token, the action is not
/// permitted.
///
/// It is a value without a clock and without a lock: each call receives the instant. If instants go back, the bucket has
/// no more tokens than before, and is full again after the time of a burst. It stores one instant and computes with whole
/// nanoseconds (the generic cell rate algorithm), so it does not drift.
public struct TokenBucket: Sendable, Hashable {
    /// How fast it refills, and how many tokens it holds.
    public let rate: TokenRate
    private var full = LoopInstant.distantPast

    /// Creates a full bucket.
    public init(_ rate: TokenRate) { self.rate = rate }

    /// Removes `count` tokens and returns true, or returns false and removes none if there are fewer.
    ///
    /// - Parameters:
    ///   - count: The number of tokens. Zero and less always succeed. More than `rate.burst` never succeed.
    ///   - now: The current instant.
    public mutating func take(_ count: Int = 1, at now: LoopInstant) -> Bool { rate.take(count, &full, at: now) }

    /// The time until `count` tokens are available, zero if they are. `nil` means that the bucket never holds so many.
    ///
    /// - Parameters:
    ///   - count: The number of tokens.
    ///   - now: The current instant.
    public func wait(for count: Int = 1, at now: LoopInstant) -> Duration? {
        rate.wait(for: count, full, at: now).map { .nanoseconds($0) }
    }
}
