// SPDX-License-Identifier: MIT
import CReactive
public import ReactiveCore
import ReactiveSupport

/// The system's `CLOCK_MONOTONIC`, which loops use unless you pass another clock.
///
/// It stops while the system is suspended (clock_gettime(2)).
public struct MonotonicClock: LoopClock {
    /// Creates a clock. All values read the same system clock.
    public init() {}

    /// The present instant, which each access reads from the system (rule T24). Any thread may read it.
    public var now: LoopInstant {
        return LoopInstant(nanoseconds: reactive_monotonic_ns())
    }
}
