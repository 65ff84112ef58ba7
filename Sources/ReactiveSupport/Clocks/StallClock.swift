// SPDX-License-Identifier: MIT
/// Finds a wait that lasts too long. A timer checks it at intervals and compares counters, so the events that make progress
/// cost nothing. It calls no other code.
///
/// `Wait` is what is waited for, with the progress so far. A wait that `n` checks in a row have found unchanged has lasted
/// for at least `n` intervals. So a limit is never reached early. It needs several checks, so that a process that was itself
/// suspended does not treat its peer as stalled.
///
/// `Count` is small where many clocks exist, and large where a limit may have many intervals.
package struct StallClock<Wait: Equatable, Count: FixedWidthInteger & UnsignedInteger> {
    /// The number of intervals within a limit.
    package static var checksPerLimit: Int { 4 }

    /// The wait that the last check found. `nil` means that there was none, or that the clock has been restarted.
    private var last: Wait?
    private var unchangedChecks: Count = 0

    /// Creates a clock whose first check is one interval later.
    package init(_ wait: Wait? = nil) { last = wait }

    /// Records a check. `wait` is nil if nothing is waited for. Returns for how many intervals this wait has lasted, at most
    /// `Count.max`.
    package mutating func check(_ wait: Wait?) -> Int {
        guard let wait, wait == last else {
            last = wait
            unchangedChecks = 0
            return 0
        }
        if unchangedChecks < .max { unchangedChecks += 1 }
        return Int(clamping: unchangedChecks)
    }

    /// Records a check. Returns whether the wait has lasted for a limit.
    package mutating func hasReachedLimit(_ wait: Wait?) -> Bool { check(wait) >= Self.checksPerLimit }

    /// Whether this wait has lasted for at least one interval.
    package func hasLasted(_ wait: Wait) -> Bool { wait == last && unchangedChecks > 0 }

    /// Starts over. Counting begins at the next check, at most one interval later.
    package mutating func restart() { self = StallClock() }
}
