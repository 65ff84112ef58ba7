import CReactive
public import ReactiveCore
import ReactiveSupport

/// The system's `CLOCK_MONOTONIC`, read afresh at every call: what real loops tell the time by.
public struct MonotonicClock: LoopClock {
    /// There is only one; every value is the same.
    public init() {}

    public var now: LoopInstant {
        if fault(.clockIsAnother) { return LoopInstant(nanoseconds: reactive_monotonic_ns() + 3_600_000_000_000) }
        if fault(.clockIsCoarse) { return LoopInstant(nanoseconds: reactive_monotonic_ns() / 64_000_000 * 64_000_000) }
        if fault(.clockGoesBack, every: 3) { return LoopInstant(nanoseconds: reactive_monotonic_ns() - 2_000_000) }
        return LoopInstant(nanoseconds: reactive_monotonic_ns())
    }
}
