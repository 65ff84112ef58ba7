// SPDX-License-Identifier: MIT
import CReactive
public import ReactiveCore
import ReactiveSupport

/// The system's `CLOCK_MONOTONIC`. Loops use it unless you pass another clock.
///
/// It stops while the system is suspended (clock_gettime(2)).
public struct MonotonicClock: LoopClock {
    /// Creates a clock. All values read the same system clock.
    public init() {}

    /// The current instant. Each access reads the system's clock (rule T24). Any thread may read it.
    public var now: LoopInstant {
        return LoopInstant(nanoseconds: reactive_monotonic_ns())
    }
}
