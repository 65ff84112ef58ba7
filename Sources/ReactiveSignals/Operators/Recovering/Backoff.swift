/// How long to wait before each new try: longer and longer, up to a limit, and not everybody at the same time.
///
/// The wait before try number n (from 0) is `first` times `factor` to the power of n, at most `most`; of that, a random part
/// of up to `jitter` (0 to 1) is left out, so that many who failed together do not come back together. Every value of every
/// property gives a wait: none traps.
public struct Backoff: Sendable, Hashable {
    /// The wait before the first new try. A negative one counts as zero.
    public var first: Duration
    /// How much longer each wait is than the one before; less than one, and what is not a number, counts as one.
    public var factor: Double
    /// The longest wait. A negative one counts as zero, and `.seconds(Int64.max)` is the longest that there is.
    public var most: Duration
    /// Which part of a wait is random; it is held between 0, none, and 1, all of it. What is not a number counts as 0.
    public var jitter: Double

    /// Makes a backoff; the defaults double the wait up to half a minute, half of it at random.
    public init(first: Duration, factor: Double = 2, most: Duration = .seconds(30), jitter: Double = 0.5) {
        self.first = first
        self.factor = factor
        self.most = most
        self.jitter = jitter
    }

    /// The wait before try number `attempt`, with `random` (0 to 1) for chance.
    public func delay(before attempt: Int, random: Double) -> Duration {
        let limit = min(max(most, .zero), .seconds(Int64.max))
        let start = min(max(first, .zero), limit)
        let growth = Self.power(factor > 1 ? factor : 1, max(0, attempt))
        // Compared before it is multiplied: a `Duration` that is too long traps. Zero stays zero, however often it is doubled.
        let wait = start == .zero ? start : growth < limit / start ? min(start * growth, limit) : limit
        // A `Double` holds fewer digits than a `Duration`: a product may be rounded to more than there was.
        return min(wait * (1 - Self.fraction(jitter) * Self.fraction(random)), wait)
    }

    /// Between 0 and 1; 0 where it is not a number.
    private static func fraction(_ number: Double) -> Double { number > 0 ? min(number, 1) : 0 }

    /// `base`, which is not below 1, to the power of `exponent`: infinity where it is too large.
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
