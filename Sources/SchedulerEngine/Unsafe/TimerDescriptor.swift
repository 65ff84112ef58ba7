import CReactive
import Glibc
package import ReactiveCore

/// A timerfd: readable once an instant of `CLOCK_MONOTONIC` has come. For libraries whose own waits know milliseconds only.
package struct TimerDescriptor: ~Copyable {
    package let descriptor: Int32
    private var armed: Int64 = 0

    package init() throws(LoopError) {
        descriptor = reactive_timerfd()
        if descriptor < 0 { throw LoopError.system("timerfd_create", errno) }
    }

    deinit { close(descriptor) }

    /// Makes it readable at `instant`, and unreadable until then. Setting the same instant again costs no system call.
    package mutating func arm(_ instant: LoopInstant) {
        set(max(1, instant.nanoseconds))
    }

    /// Makes it unreadable for good.
    package mutating func disarm() {
        set(0)
    }

    private mutating func set(_ nanoseconds: Int64) {
        if nanoseconds == armed { return }
        armed = nanoseconds
        // It fails only for a bad descriptor or a bad time, and both are made here.
        let code = reactive_timerfd_set(descriptor, nanoseconds)
        precondition(code == 0, "timerfd_settime: \(code)")
    }
}
