import CReactive
import Glibc
package import ReactiveCore

/// A timerfd, which is readable from an instant of `CLOCK_MONOTONIC` on. It is more precise than the wait of any library.
package struct TimerDescriptor: ~Copyable {
    /// How much later it becomes readable than a future instant asks for, in nanoseconds. It is about what a sleeping
    /// thread takes to wake, so timers that follow each other within microseconds share a wake-up.
    private static let grace: Int64 = 15_000

    package let descriptor: Int32
    private var armed: LoopInstant?

    package init() throws(LoopError) {
        descriptor = reactive_timerfd()
        if descriptor < 0 { throw LoopError.system("timerfd_create", errno) }
    }

    deinit { close(descriptor) }

    /// Makes it readable from `instant` on, and unreadable until then. A second call with the same instant costs no system
    /// call.
    package mutating func arm(_ instant: LoopInstant) {
        if armed == instant { return }
        armed = instant
        // An instant that has passed gets no grace.
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
        // It fails only for a bad descriptor or a bad time, and this type makes both.
        let code = reactive_timerfd_set(descriptor, nanoseconds)
        precondition(code == 0, "timerfd_settime: \(code)")
    }
}
