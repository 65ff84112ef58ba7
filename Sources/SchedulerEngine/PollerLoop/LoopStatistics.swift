/// What a loop holds at one moment: for gauges, and for finding out what has not been let go of.
public struct LoopStatistics: Sendable, Hashable {
    /// Timers that are armed, repeating ones included.
    public var timers: Int
    /// Descriptors' watches that have not been disposed, the loop's own left out.
    public var watches: Int
    /// Process signals that have a handler here.
    public var signals: Int
    /// Pieces of work that wait, what other threads have handed over included.
    public var work: Int
    /// Turns that have begun.
    public var turns: UInt64
}
