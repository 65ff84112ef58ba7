// SPDX-License-Identifier: MIT
import ReactiveCore

/// The durations of the requests that ended in one window of a ``ConcurrencyLimit``.
struct SampleWindow: Sendable {
    /// The number of samples that a window needs.
    static let fewest = 10

    private(set) var begin = LoopInstant.distantPast
    private(set) var count = 0
    private var sum = 0.0
    /// The highest number of requests under way.
    var mostUnderWay = 0
    /// The number of requests that overload below has ended.
    var drops = 0
    /// Whether at least a tenth was dropped. A few failures, perhaps of one path, do not show an overload.
    var hasDrop: Bool { drops > 0 && drops * 10 >= count + drops }

    init() {}

    init(from begin: LoopInstant, mostUnderWay: Int) {
        self.begin = begin
        self.mostUnderWay = mostUnderWay
    }

    /// The mean duration in nanoseconds, at least 1.
    var mean: Double { count == 0 ? 1 : max(1, sum / Double(count)) }

    mutating func add(_ duration: Duration) {
        count += 1
        sum += Double(duration.saturatedNanoseconds)
    }

    /// Whether the window has enough samples, and lasts long enough for their durations to show the last change.
    func isComplete(at now: LoopInstant, lasting least: Duration) -> Bool {
        if hasDrop { return now - begin >= least }
        return count >= Self.fewest
            && now - begin >= max(least, .nanoseconds(Int64(clamping: Int(min(2 * mean, 1e12)))))
    }
}
