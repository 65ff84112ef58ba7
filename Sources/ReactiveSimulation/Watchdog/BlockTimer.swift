// SPDX-License-Identifier: MIT

/// Decides from observations whether a step of a world has lasted too long.
///
/// The watchdog observes at regular intervals. If the process or the machine was stopped between two observations, more
/// time has passed. Only the interval counts then.
struct BlockTimer {
    private var step: Int
    /// The nanoseconds for which the step has been observed. nil once it has been reported.
    private var observed: Int64? = 0

    init(step: Int) { self.step = step }

    /// Takes an observation. Returns whether to report the step now, which happens once for each step.
    ///
    /// - Parameters:
    ///   - current: The number of the current step.
    ///   - elapsed: The time since the previous observation, in nanoseconds.
    ///   - interval: The time after which this observation was planned, in nanoseconds.
    ///   - limit: How long a step may last, in nanoseconds. nil means any time.
    mutating func observe(step current: Int, elapsed: Int64, interval: Int64, limit: Int64?) -> Bool {
        if current != step {
            self = BlockTimer(step: current)
            return false
        }
        guard let before = observed, let limit else { return false }
        let (sum, overflow) = before.addingReportingOverflow(min(elapsed, interval))
        observed = overflow ? .max : sum
        if sum < limit, !overflow { return false }
        observed = nil
        return true
    }
}
