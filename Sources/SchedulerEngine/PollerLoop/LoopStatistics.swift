// SPDX-License-Identifier: MIT
/// The numbers of objects that a loop contains at one moment, for gauges and for finding leaks.
///
/// If another thread disposes work, a timer or a watch, the loop may count it until it removes the object.
public struct LoopStatistics: Sendable, Hashable {
    /// The number of scheduled timers, including repeating timers and timers that other threads have posted.
    public var timers: Int
    /// The number of watches of descriptors. The loop's own descriptors do not count.
    public var watches: Int
    /// The number of handlers for process signals. They do not count as ``watches``.
    public var signalHandlers: Int
    /// The number of queued work items and jobs, including those that other threads have posted.
    public var work: Int
    /// The number of turns that have begun.
    public var turns: UInt64
}
