// SPDX-License-Identifier: MIT
import ReactiveCore

/// The timers of a loop (rules T6, T7).
typealias TimerQueue = DeadlineQueue<TimerEntry>

extension DeadlineQueue<TimerEntry> {
    /// Removes and returns the first timer if it is due at `now`.
    @inline(__always)
    func popFirstDue(at now: LoopInstant) -> DueTimer? {
        guard let node = popFirstNode(dueAt: now) else { return nil }
        return unsafe DueTimer(node.takeReference(), sequence: node.sequence)
    }

    /// Inserts a timer again.
    @inline(__always)
    func insert(_ timer: consuming DueTimer, sequence: UInt64) {
        unsafe insert(timer.takeReference(), sequence: sequence)
    }
}
