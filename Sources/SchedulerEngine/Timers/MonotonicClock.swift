import CReactive
public import ReactiveCore
import ReactiveSupport

/// The system's `CLOCK_MONOTONIC`, read afresh at every call: what real loops tell the time by.
public struct MonotonicClock: LoopClock {
    /// There is only one; every value is the same.
    public init() {}

    public var now: LoopInstant {
        return LoopInstant(nanoseconds: reactive_monotonic_ns())
    }
}
