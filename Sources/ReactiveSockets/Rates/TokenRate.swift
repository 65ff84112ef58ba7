// SPDX-License-Identifier: MIT
import ReactiveCore

/// A rate with bursts: how fast a ``TokenBucket`` refills, and how many tokens it holds.
///
/// ```swift
/// let limits = ServerLimits(connectionRatePerAddress: TokenRate(10, per: .seconds(1), burst: 50))
/// ```
public struct TokenRate: Sendable, Hashable {
    /// The time in which one token is added, in nanoseconds.
    let period: Int64
    /// The number of tokens in a full bucket.
    public let burst: Int

    /// Creates a rate of `count` tokens per `duration`.
    ///
    /// - Parameters:
    ///   - count: The number of tokens. A value below 1 counts as 1.
    ///   - duration: The time in which they are added, evenly. The time of one token is rounded up to whole
    ///     nanoseconds, so the rate is at most one token per nanosecond.
    ///   - burst: The number of tokens in a full bucket. The default is `count`. A value below 1 counts as 1.
    public init(_ count: Int, per duration: Duration = .seconds(1), burst: Int? = nil) {
        let (whole, rest) = max(1, duration.saturatedNanoseconds).quotientAndRemainder(dividingBy: Int64(max(1, count)))
        period = max(1, rest > 0 ? whole + 1 : whole)
        self.burst = max(1, burst ?? count)
    }

    /// The time in which `count` tokens are added, in nanoseconds. It saturates.
    private func time(of count: Int) -> Int64 {
        let (product, overflow) = period.multipliedReportingOverflow(by: Int64(count))
        return overflow ? .max : product
    }

    /// The time until a bucket that is full at `full` has `count` tokens, or `nil` if it never has so many.
    func wait(for count: Int, _ full: LoopInstant, at now: LoopInstant) -> Int64? {
        guard count > 0 else { return 0 }
        guard count <= burst else { return nil }
        let missing = clamped(full, at: now)
        // Neither difference overflows: all are between zero and `Int64.max`.
        return max(0, missing - (time(of: burst) - time(of: count)))
    }

    /// Removes `count` tokens from a bucket that is full at `full`, and returns true if it has so many.
    func take(_ count: Int, _ full: inout LoopInstant, at now: LoopInstant) -> Bool {
        guard count > 0 else { return true }
        let missing = clamped(full, at: now)
        // If the clock has gone back, the time until the bucket is full is counted from now on.
        if missing == time(of: burst) { full = now.advanced(by: .nanoseconds(missing)) }
        guard count <= burst, missing <= time(of: burst) - time(of: count) else { return false }
        full = now.advanced(by: .nanoseconds(missing)).advanced(by: .nanoseconds(time(of: count)))
        return true
    }

    /// The time until the bucket is full. It is at most that of an empty bucket, even if the clock has gone back.
    private func clamped(_ full: LoopInstant, at now: LoopInstant) -> Int64 {
        min(max(0, now.duration(to: full).saturatedNanoseconds), time(of: burst))
    }
}
