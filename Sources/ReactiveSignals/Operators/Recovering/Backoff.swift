/// How long to wait before each new try: longer and longer, up to a limit, and not everybody at the same time.
///
/// The wait before try number n (from 0) is `first` times `factor` to the power of n, at most `most`; of that, a random part
/// of up to `jitter` (0 to 1) is left out, so that many who failed together do not come back together.
public struct Backoff: Sendable, Hashable {
    /// The wait before the first new try.
    public var first: Duration
    /// How much longer each wait is than the one before; less than one counts as one.
    public var factor: Double
    /// The longest wait.
    public var most: Duration
    /// Which part of a wait is random; it is held between 0, none, and 1, all of it.
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
        var wait = min(first, most)
        // Multiplied one by one and stopped at the limit, so that no number grows out of range.
        var left = attempt
        while left > 0, wait < most {
            let longer = wait * max(1, factor)
            if longer <= wait { break }
            wait = min(longer, most)
            left -= 1
        }
        return max(.zero, wait * (1 - min(max(jitter, 0), 1) * min(max(random, 0), 1)))
    }
}
