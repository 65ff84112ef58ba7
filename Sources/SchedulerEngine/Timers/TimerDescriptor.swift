// SPDX-License-Identifier: MIT
import CReactive
import Glibc
package import ReactiveCore

/// A timerfd, which becomes readable at an instant of `CLOCK_MONOTONIC`. It is more precise than the time limits of
/// epoll, libuv and libevent.
package struct TimerDescriptor: ~Copyable {
    /// The delay in nanoseconds by which it becomes readable after a future instant. This is about the time that a
    /// sleeping thread needs to wake. So timers within a few microseconds share a wake-up.
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
        // For an instant that has passed there is no delay.
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
        // The call fails only for a bad descriptor or a bad time. This type sets both.
        let code = reactive_timerfd_set(descriptor, nanoseconds)
        precondition(code == 0, "timerfd_settime failed with error number \(code)")
    }
}

/// The timerfd that ends a poller's wait at its deadline. The poller registers it in its set before the first wait with
/// a deadline.
///
/// A report of this descriptor only ends the wait. The poller or the engine then ignores it.
package struct PollTimer: ~Copyable {
    /// The token with which the poller registers it. `LoopCore.Token` lists the other tokens that belong to no watch.
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
