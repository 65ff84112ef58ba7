// SPDX-License-Identifier: MIT
import CReactive
import Glibc
package import ReactiveCore

/// A timerfd, which becomes readable at an instant of `CLOCK_MONOTONIC`. It is more precise than the time limits of
/// epoll, libuv and libevent.
///
/// A poller ends its waits with one, which it registers before its first wait with a deadline. A report of it only ends
/// the wait. The poller or the engine discards the report.
package struct TimerDescriptor: ~Copyable {
    /// The token with which a poller registers its own timer. `LoopCore.Token` lists the other tokens that belong to no
    /// watch.
    package static var pollToken: UInt64 { .max - 3 }

    /// The delay in nanoseconds between a future instant and the moment when the descriptor becomes readable. It is
    /// about the time that a sleeping thread needs to wake, so timers within a few microseconds share a wake-up.
    private static let grace: Int64 = 15_000

    package let descriptor: Int32
    private var armed: LoopInstant?
    /// The simulated kernel that opened the descriptor. nil for the real one.
    private let system: (any EventSystem)?

    package init(on system: (any EventSystem)? = nil) throws(LoopError) {
        self.system = system
        descriptor = system?.openTimer() ?? reactive_timerfd()
        if descriptor < 0 { throw LoopError.system("timerfd_create", system == nil ? errno : -descriptor) }
    }

    deinit {
        if let system { system.closeEvent(descriptor) } else { close(descriptor) }
    }

    /// Makes the descriptor readable from `instant` on, and unreadable until then. A second call with the same instant
    /// makes no system call.
    package mutating func arm(_ instant: LoopInstant) {
        if armed == instant { return }
        armed = instant
        if let system { return system.setTimer(descriptor, instant) }
        // An instant that has passed needs no delay.
        let isDue = instant <= MonotonicClock().now
        set(isDue ? max(1, instant.nanoseconds) : min(instant.nanoseconds, .max - Self.grace) + Self.grace)
    }

    /// Makes the descriptor unreadable until it is armed again.
    package mutating func disarm() {
        if armed == nil { return }
        armed = nil
        if let system { return system.setTimer(descriptor, nil) }
        set(0)
    }

    private func set(_ nanoseconds: Int64) {
        // The call fails only for a bad descriptor or a bad time, and this type sets both.
        let code = reactive_timerfd_set(descriptor, nanoseconds)
        if code != 0 { fatalError("timerfd_settime failed with error number \(code)") }
    }
}
