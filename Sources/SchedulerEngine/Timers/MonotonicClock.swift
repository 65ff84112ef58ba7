import CReactive
public import ReactiveCore
import ReactiveSupport

/// The system's `CLOCK_MONOTONIC`, the clock of the real loops.
public struct MonotonicClock: LoopClock {
    /// Makes a clock. All values read the same system clock.
    public init() {}

    /// The present time, read from the system at every call. Any thread may read it.
    public var now: LoopInstant {
        return LoopInstant(nanoseconds: reactive_monotonic_ns())
    }
}
