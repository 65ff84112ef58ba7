// SPDX-License-Identifier: MIT
import CReactive
import Glibc
package import ReactiveCore
import ReactiveSupport
package import SchedulerEngine

/// The clock that all simulated loops share if they are created while it is current.
package final class VirtualTime: Sendable {
    private let stored = Lock<Int64>(0)
    private let written = Lock<UInt64>(0)
    private let waited = Lock<Int>(0)

    package init() {}

    package var now: LoopInstant { LoopInstant(nanoseconds: stored.withLock { stored in stored }) }

    /// The number of times that a loop's wake-up descriptor had been written before the loop polled.
    package var wakeUps: UInt64 { written.withLock { written in written } }

    /// The number of waits of all loops.
    package var waits: Int { waited.withLock { waited in waited } }

    package func advance(to instant: LoopInstant) {
        stored.withLock { stored in stored = max(stored, instant.nanoseconds) }
    }

    func countWait() { waited.withLock { waited in waited += 1 } }

    func countWakeUps(_ count: UInt64) { written.withLock { written in written += count } }

    /// Replaces a parameter of `Poller.init`.
    @TaskLocal package static var current = VirtualTime()
}

package struct VirtualClock: LoopClock {
    let time = VirtualTime.current

    package init() {}

    package var now: LoopInstant { time.now }
}

/// Waits by advancing the virtual clock. It polls descriptors without waiting, and blocks on them only if there is no
/// deadline to jump to.
package struct VirtualPoller: Poller, ~Copyable {
    private let time = VirtualTime.current
    private var registered: [Int32: (interest: Readiness, token: UInt64)] = [:]

    package init() throws(LoopError) {}

    package mutating func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        try modify(descriptor, interest, token: token)
    }

    package mutating func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        let refusal = Pollable.check(descriptor)
        if refusal != 0 { throw .watching(descriptor, refusal) }
        registered[descriptor] = (interest, token)
    }

    package mutating func deregister(_ descriptor: Int32) { registered[descriptor] = nil }

    package mutating func wait(
        until deadline: PollDeadline,
        _ ready: (UInt64, Readiness) -> Void
    ) throws(LoopError) {
        time.countWait()
        if ask(waiting: false, ready) { return }
        switch deadline {
        case .at(let instant): time.advance(to: instant)
        case .now: break
        // Without a deadline to jump to, another thread must end the wait.
        case .never: _ = ask(waiting: true, ready)
        }
    }

    /// Returns whether any descriptor was ready. Descriptors are reported in the order of their numbers.
    private func ask(waiting: Bool, _ ready: (UInt64, Readiness) -> Void) -> Bool {
        let watched = registered.filter { !$0.value.interest.isEmpty }.sorted { $0.key < $1.key }
        var polled = watched.map { descriptor, entry in
            let wanted =
                (entry.interest.contains(.read) ? POLLIN : 0) | (entry.interest.contains(.write) ? POLLOUT : 0)
            return pollfd(fd: descriptor, events: Int16(wanted), revents: 0)
        }
        guard poll(&polled, nfds_t(polled.count), waiting ? -1 : 0) > 0 else { return false }
        for (polled, (descriptor, entry)) in zip(polled, watched) where polled.revents != 0 {
            if entry.token == UInt64.max { count(descriptor) }
            var readiness: Readiness = []
            if polled.revents & Int16(POLLIN) != 0 { readiness.insert(.read) }
            if polled.revents & Int16(POLLOUT) != 0 { readiness.insert(.write) }
            if polled.revents & ~Int16(POLLIN | POLLOUT) != 0 { readiness = [.read, .write] }
            ready(entry.token, readiness)
        }
        return true
    }

    /// The counter of an eventfd is the number of writes. Reading clears the counter, so the value is written back.
    private func count(_ descriptor: Int32) {
        var writes: UInt64 = 0
        guard read(descriptor, &writes, 8) == 8 else { return }
        time.countWakeUps(writes)
        reactive_eventfd_signal(descriptor)
    }
}

package typealias VirtualLoop = PollerLoop<VirtualPoller>
