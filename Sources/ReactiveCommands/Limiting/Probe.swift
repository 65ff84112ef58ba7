// SPDX-License-Identifier: MIT
import ReactiveCore

/// Measures the duration of requests while few are under way.
///
/// It measures the first requests that begin, and waits for all of them. The first requests that end would be the
/// short ones.
struct Probe: Sendable {
    /// The number of requests that a probe needs.
    static let fewest = 10

    let begin: LoopInstant
    /// The number of requests to measure.
    private let size: Int
    /// The instant at which the last request to measure began.
    private var last = LoopInstant.distantFuture
    /// The latest instant at which one began. Instants of several threads may be out of order.
    private var latest = LoopInstant.distantPast
    private var begun = 0
    private var ended = 0
    private var count = 0
    private var sum = 0.0

    init(at begin: LoopInstant, below limit: Int) {
        self.begin = begin
        size = max(Self.fewest, 2 * limit)
    }

    /// The mean duration in nanoseconds. `nil` means that too few requests have completed.
    var mean: Double? { count < Self.fewest / 2 ? nil : max(1, sum / Double(count)) }

    mutating func begin(at now: LoopInstant) {
        guard begun < size, now >= begin else { return }
        begun += 1
        latest = max(latest, now)
        if begun == size { last = latest }
    }

    /// Returns whether all requests to measure have ended.
    mutating func end(_ outcome: ConcurrencyLimit.Outcome, begun start: LoopInstant, at now: LoopInstant) -> Bool {
        guard start >= begin, start <= last else { return false }
        ended += 1
        if outcome == .completed, start <= now {
            count += 1
            sum += Double(start.duration(to: now).saturatedNanoseconds)
        }
        return begun == size && ended >= size
    }
}
