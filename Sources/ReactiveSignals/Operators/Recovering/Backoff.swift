// SPDX-License-Identifier: MIT
import ReactiveSupport

/// The delays between retries: growing up to a maximum, with random jitter.
///
/// The delay before retry n (counted from 0) is `first` times `factor` to the power of n, and never more than
/// `maximum`. A random part of it, up to `jitter`, is subtracted. So clients that failed together do not retry
/// together. Any value may be assigned to a property: invalid ones are clamped and never trap.
public struct Backoff: Sendable, Hashable {
    /// The delay before the first retry. A negative duration counts as zero.
    public var first: Duration
    /// The ratio of each delay to the previous one. A factor below one counts as one, and so does NaN.
    public var factor: Double
    /// The maximum delay. A negative duration counts as zero. Anything above `.seconds(Int64.max)` counts as that.
    public var maximum: Duration
    /// The random part of each delay: 0 for none, 1 for all of it. Values outside 0...1 are clamped, and NaN counts as
    /// 0.
    public var jitter: Double

    /// Creates a backoff. By default the delay doubles up to 30 seconds, and up to half of it is subtracted at random.
    public init(first: Duration, factor: Double = 2, maximum: Duration = .seconds(30), jitter: Double = 0.5) {
        self.first = first
        self.factor = factor
        self.maximum = maximum
        self.jitter = jitter
    }

    /// Returns the delay before retry `attempt`, counted from 0. It is never negative and never above ``maximum``.
    ///
    /// - Parameters:
    ///   - attempt: The number of retries before this one. A negative number counts as 0.
    ///   - random: The random number, from 0 to 1. With 0 the delay is the longest. Values outside are clamped, and NaN
    ///     counts as 0.
    public func delay(before attempt: Int, random: Double) -> Duration {
        let limit = min(max(maximum, .zero), .seconds(Int64.max))
        let start = min(max(first, .zero), limit)
        let growth = Self.power(factor > 1 ? factor : 1, max(0, attempt))
        // Compares before it multiplies, because a `Duration` that overflows traps. Zero stays zero.
        let wait = start == .zero ? start : growth < limit / start ? min(start * growth, limit) : limit
        // A `Double` has fewer digits than a `Duration`, so the product may be rounded up.
        return min(wait * (1 - Self.fraction(jitter) * Self.fraction(random)), wait)
    }

    /// A random number from 0 to 1. In a simulation it comes from the simulation's seed.
    @usableFromInline
    static func randomNumber() -> Double {
        var random = AmbientRandom()
        return .random(in: 0...1, using: &random)
    }

    /// Clamps `number` to 0...1. NaN becomes 0.
    private static func fraction(_ number: Double) -> Double { number > 0 ? min(number, 1) : 0 }

    /// `base`, at least 1, to the power of `exponent`. Infinity on overflow.
    private static func power(_ base: Double, _ exponent: Int) -> Double {
        var (result, square, rest) = (1.0, base, exponent)
        while rest > 0 {
            if rest & 1 == 1 { result *= square }
            square *= square
            rest >>= 1
        }
        return result
    }
}
