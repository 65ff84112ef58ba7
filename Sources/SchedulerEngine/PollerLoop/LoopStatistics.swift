// SPDX-License-Identifier: MIT
/// The numbers of objects that a loop contains at one moment, for gauges and for finding leaks.
///
/// Work, timers and watches that another thread has disposed may be counted until the loop removes them.
public struct LoopStatistics: Sendable, Hashable {
    /// The number of scheduled timers, including repeating ones and those that other threads have posted.
    public var timers: Int
    /// The number of watches of descriptors that have not been disposed. The loop's own descriptors do not count.
    public var watches: Int
    /// The number of handlers for process signals. Their watches do not count as ``watches``.
    public var signals: Int
    /// The number of queued work items and jobs, including those that other threads have posted.
    public var work: Int
    /// The number of turns that have begun.
    public var turns: UInt64
}
