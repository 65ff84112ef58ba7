import CReactive
import Glibc
import ReactiveCore
import ReactiveSupport
import SchedulerEngine

/// Virtual time, one for each thread that makes a loop on it: a poller is made without arguments.
final class VirtualTime: Sendable {
    private let stored = Lock<Int64>(0)
    /// How often anybody wrote to the loop's wake-up before it was asked for events.
    let wakeUps = Lock<UInt64>(0)
    let waits = Lock<Int>(0)

    var now: LoopInstant { LoopInstant(nanoseconds: stored.withLock { stored in stored }) }

    func advance(to instant: LoopInstant) {
        stored.withLock { stored in stored = max(stored, instant.nanoseconds) }
    }

    /// Takes the place of a parameter of `Poller.init`.
    @TaskLocal static var current = VirtualTime()
}

struct VirtualClock: LoopClock {
    let time = VirtualTime.current

    var now: LoopInstant { time.now }
}

/// Waits by moving the clock on: what a simulation would use. It knows descriptors only by asking the system at once.
struct VirtualPoller: Poller, ~Copyable {
    private let time = VirtualTime.current
    private var registered: [Int32: (interest: Readiness, token: UInt64)] = [:]

    init() throws(LoopError) {}

    mutating func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        registered[descriptor] = (interest, token)
    }

    mutating func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        registered[descriptor] = (interest, token)
    }

    mutating func deregister(_ descriptor: Int32) { registered[descriptor] = nil }

    mutating func wait(until deadline: PollDeadline, _ ready: (UInt64, Readiness) -> Void) throws(LoopError) {
        time.waits.withLock { waits in waits += 1 }
        var isAnyReady = false
        for (descriptor, entry) in registered where !entry.interest.isEmpty {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&request, 1, 0) == 1 else { continue }
            isAnyReady = true
            if entry.token == UInt64.max { count(descriptor) }
            ready(entry.token, .read)
        }
        switch deadline {
        case .at(let instant): if !isAnyReady { time.advance(to: instant) }
        case .now: break
        case .never: precondition(isAnyReady, "the simulation waits for good")
        }
    }

    /// An eventfd's counter is how often it was written to; reading takes it, so it is written back.
    private func count(_ descriptor: Int32) {
        var writes: UInt64 = 0
        guard read(descriptor, &writes, 8) == 8 else { return }
        time.wakeUps.withLock { [writes] wakeUps in wakeUps += writes }
        reactive_eventfd_signal(descriptor)
    }
}

typealias VirtualLoop = PollerLoop<VirtualPoller>
