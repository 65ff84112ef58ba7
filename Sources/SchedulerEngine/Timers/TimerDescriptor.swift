// SPDX-License-Identifier: MIT
import CReactive
import Glibc
package import ReactiveCore

/// A timerfd, which is readable from an instant of `CLOCK_MONOTONIC` on. It is more precise than the wait of any
/// library.
package struct TimerDescriptor: ~Copyable {
    /// How much later than a future instant it becomes readable, in nanoseconds. It is about the time that a sleeping
    /// thread needs to wake, so timers that follow each other within microseconds share a wake-up.
    private static let grace: Int64 = 15_000

    package let descriptor: Int32
    private var armed: LoopInstant?

    package init() throws(LoopError) {
        descriptor = reactive_timerfd()
        if descriptor < 0 { throw LoopError.system("timerfd_create", errno) }
    }

    deinit { close(descriptor) }

    /// Makes it readable from `instant` on, and unreadable until then. A second call with the same instant costs no
    /// system call.
    package mutating func arm(_ instant: LoopInstant) {
        if armed == instant { return }
        armed = instant
        // An instant that has passed has no grace.
        let isDue = instant <= MonotonicClock().now
        set(isDue ? max(1, instant.nanoseconds) : min(instant.nanoseconds, .max - Self.grace) + Self.grace)
    }

    /// Makes it unreadable until it is armed again.
    package mutating func disarm() {
        if armed == nil { return }
        armed = nil
        set(0)
    }

    private func set(_ nanoseconds: Int64) {
        // It fails only for a bad descriptor or a bad time, and both are this type's own.
        let code = reactive_timerfd_set(descriptor, nanoseconds)
        precondition(code == 0, "timerfd_settime failed with error number \(code)")
    }
}

/// The timerfd that ends a poller's wait at its deadline. The poller registers it in its own set before the first
/// deadline.
///
/// Its reports only end the wait. The engine drops them, if the poller does not do so itself.
package struct PollTimer: ~Copyable {
    /// The token to register it with. It is one of the engine's own tokens (`LoopCore.Token`).
    package static var token: UInt64 { .max - 3 }

    private var timer: TimerDescriptor
    /// Whether the poller has registered it.
    package var isWatched = false

    package init() throws(LoopError) { timer = try TimerDescriptor() }

    package var descriptor: Int32 { timer.descriptor }

    /// Ends waits at `instant` from now on. The poller must have registered the timer.
    package mutating func arm(_ instant: LoopInstant) { timer.arm(instant) }

    /// Ends no wait until it is armed again.
    package mutating func disarm() { timer.disarm() }
}
