import CReactive
import Glibc
package import ReactiveCore

/// A timerfd: readable once an instant of `CLOCK_MONOTONIC` has come, which no library's own wait tells as exactly.
package struct TimerDescriptor: ~Copyable {
    /// How much later than an instant that is still to come it is readable, in nanoseconds. A thread that sleeps takes as long to wake,
    /// and where timers follow each other within microseconds several are due at each wake-up: a quarter less CPU time.
    private static let grace: Int64 = 15_000

    package let descriptor: Int32
    private var armed: LoopInstant?

    package init() throws(LoopError) {
        descriptor = reactive_timerfd()
        if descriptor < 0 { throw LoopError.system("timerfd_create", errno) }
    }

    deinit { close(descriptor) }

    /// Makes it readable at `instant`, and unreadable until then. Setting the same instant again costs no system call.
    package mutating func arm(_ instant: LoopInstant) {
        if armed == instant { return }
        armed = instant
        // What is due already must not wait.
        let isDue = instant <= MonotonicClock().now
        set(isDue ? max(1, instant.nanoseconds) : min(instant.nanoseconds, .max - Self.grace) + Self.grace)
    }

    /// Makes it unreadable for good.
    package mutating func disarm() {
        if armed == nil { return }
        armed = nil
        set(0)
    }

    private func set(_ nanoseconds: Int64) {
        // It fails only for a bad descriptor or a bad time, and both are made here.
        let code = reactive_timerfd_set(descriptor, nanoseconds)
        precondition(code == 0, "timerfd_settime: \(code)")
    }
}
