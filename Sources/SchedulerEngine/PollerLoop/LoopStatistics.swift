/// What a loop holds at one moment, for gauges and for finding leaks.
public struct LoopStatistics: Sendable, Hashable {
    /// The number of scheduled timers, repeating ones included.
    public var timers: Int
    /// The number of watches of descriptors that have not been disposed. The loop's own descriptors do not count.
    public var watches: Int
    /// The number of handlers for process signals.
    public var signals: Int
    /// The number of work items that wait, including those that other threads have posted.
    public var work: Int
    /// The number of turns that have begun.
    public var turns: UInt64
}
