import CReactive
public import ReactiveCore

/// The system's `CLOCK_MONOTONIC`, read afresh at every call: what real loops tell the time by.
public struct MonotonicClock: LoopClock {
    /// There is only one; every value is the same.
    public init() {}

    public var now: LoopInstant { LoopInstant(nanoseconds: reactive_monotonic_ns()) }
}
