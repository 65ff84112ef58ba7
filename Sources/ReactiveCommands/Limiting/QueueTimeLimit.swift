// SPDX-License-Identifier: MIT
public import ReactiveCore

/// A limit on the time that requests wait in a queue, after CoDel (RFC 8289).
///
/// A queue that empties from time to time absorbs bursts. A queue that never empties adds latency and nothing else. If the
/// shortest wait of an interval exceeds `target`, the queue is overloaded. In the next interval, each request that has
/// waited for more than twice the target is rejected.
///
/// RFC 8289 drops packets at a slowly rising rate, because TCP senders slow down after a loss. Clients of a service do
/// not, so this limit rejects at once, as the `Codel` of Facebook's folly does (Docs/Decisions/0060).
///
/// It is a value without a clock and without a lock. ``LoadLimiter`` shares one between threads.
public struct QueueTimeLimit: Sendable {
    /// The longest wait that may become permanent.
    public let target: Duration
    /// The time for which the shortest wait is observed.
    public let interval: Duration
    /// Whether the shortest wait of the last interval exceeded the target.
    public private(set) var isOverloaded = false

    /// Twice of it is no overflow.
    private static var longest: Duration { .nanoseconds(Int64.max) }

    private var current: (begin: LoopInstant, shortest: Duration)?

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - target: The longest wait that may become permanent. A value below zero counts as zero.
    ///   - interval: The time for which the shortest wait is observed, at least a millisecond. It should exceed the
    ///     duration of a burst that the queue must absorb.
    public init(target: Duration = .milliseconds(5), interval: Duration = .milliseconds(100)) {
        self.target = min(max(.zero, target), Self.longest)
        self.interval = min(max(.milliseconds(1), interval), Self.longest)
    }

    /// Returns whether a request that leaves the queue may begin.
    ///
    /// Call it for each request, also for those that did not wait.
    ///
    /// - Parameters:
    ///   - wait: The time that the request has waited. A negative value counts as zero.
    ///   - now: The current instant. Instants of several threads may be slightly out of order.
    public mutating func admits(afterWaiting wait: Duration, at now: LoopInstant) -> Bool {
        let wait = max(.zero, wait)
        if let last = current, now - last.begin < interval, last.begin - now < interval {
            current?.shortest = min(last.shortest, wait)
        } else {
            isOverloaded = isOverloaded(after: current, at: now)
            current = (now, wait)
        }
        return !isOverloaded || wait <= target * 2
    }

    /// A pause of a whole interval, or a clock that has gone back by one, means that no queue was observed.
    private func isOverloaded(after last: (begin: LoopInstant, shortest: Duration)?, at now: LoopInstant) -> Bool {
        guard let last, now >= last.begin, now - last.begin < interval * 2 else { return false }
        return last.shortest > target
    }
}
