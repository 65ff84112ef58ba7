// SPDX-License-Identifier: MIT
/// A loop that counts its objects, and measures its turns while something asks for it.
package protocol MeasuredLoop: LoopScheduler {
    /// Starts to measure turns. Call it in the loop's own work. Calls nest.
    ///
    /// - Throws: `wrongThread` on another thread while the loop runs; `disposed`; `forked`.
    func beginMeasuring() throws(LoopError)

    /// Stops measuring after as many calls as of ``beginMeasuring()``. Call it in the loop's own work.
    ///
    /// - Throws: The errors of ``beginMeasuring()``.
    func endMeasuring() throws(LoopError)

    /// Returns the counts and measurements. Call it in the loop's own work.
    ///
    /// - Throws: The errors of ``beginMeasuring()``.
    func measurements() throws(LoopError) -> LoopMeasurements
}

/// The counts of a loop at one moment, and the lengths of its turns since the measurement began.
package struct LoopMeasurements: Sendable, Hashable {
    /// The number of scheduled timers.
    package var timers = 0
    /// The number of watches of descriptors.
    package var watches = 0
    /// The number of handlers for process signals.
    package var signalHandlers = 0
    /// The number of queued jobs.
    package var work = 0
    /// The number of turns that have begun.
    package var turns: UInt64 = 0
    /// The measured turns. `nil` means that they are not measured.
    package var lengths: TurnLengths?

    package init() {}
}

/// How long a loop ran callbacks between two waits, as a histogram.
package struct TurnLengths: Sendable, Hashable {
    /// The upper bounds of all buckets but the last, in nanoseconds: 1 µs, and powers of 4 times that.
    package static let bounds: [Int64] = (0..<11).map { 1000 << (2 * Int64($0)) }

    /// The number of turns in each bucket. The last bucket has no bound.
    package var counts = [UInt64](repeating: 0, count: bounds.count + 1)
    /// The sum of all lengths, in nanoseconds.
    package var sum: Int64 = 0
    /// The longest turn, in nanoseconds.
    package var longest: Int64 = 0

    package init() {}

    /// Adds a turn of `length` nanoseconds.
    package mutating func add(_ length: Int64) {
        let bucket = Self.bounds.firstIndex { length <= $0 } ?? Self.bounds.count
        counts[bucket] += 1
        sum += length
        longest = max(longest, length)
    }
}
