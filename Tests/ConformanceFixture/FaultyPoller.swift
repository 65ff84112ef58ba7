// SPDX-License-Identifier: MIT
import ReactiveCore
import SchedulerEngine

/// A fault of a poller that is otherwise a correct epoll poller.
protocol PollerFault: SendableMetatype {
    /// How often the poller wakes in a wait without a deadline while nothing is ready. It continues to wait inside of the
    /// turn. `nil` means that it sleeps.
    static func period(_ history: PollerHistory) -> Duration?
    /// Whether the poller never reports a descriptor.
    static func isDeaf(to descriptor: Int32) -> Bool
    /// The number of descriptors that a wait with a deadline reports. They are always the same ones.
    static var mostBeforeDeadline: Int { get }
}

extension PollerFault {
    static func period(_ history: PollerHistory) -> Duration? { nil }
    static func isDeaf(to descriptor: Int32) -> Bool { false }
    static var mostBeforeDeadline: Int { .max }
}

/// The calls and events that a poller has seen so far.
struct PollerHistory {
    /// The token of the loop's own descriptor, which is registered first.
    fileprivate var own: UInt64?
    /// The registered interest, by token.
    fileprivate var interests: [UInt64: Readiness] = [:]
    /// Whether a wait has had a deadline in the future. A new loop waits once until an instant that has passed.
    fileprivate(set) var hasHadDeadline = false
    /// Whether another thread has ended a wait.
    fileprivate(set) var hasWoken = false
    /// Whether a watched descriptor has been ready.
    fileprivate(set) var hasReported = false

    var hasWatch: Bool { interests.contains { $0.key != own && !$0.value.isEmpty } }
    var hasWriter: Bool { interests.contains { $0.value.contains(.write) } }
}

/// An epoll poller with a fault.
struct FaultyPoller<Fault: PollerFault>: Poller, ~Copyable {
    private var epoll: EpollPoller
    private var history = PollerHistory()

    init() throws(LoopError) { epoll = try EpollPoller() }

    mutating func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        try epoll.register(descriptor, Fault.isDeaf(to: descriptor) ? [] : interest, token: token)
        if history.own == nil { history.own = token }
        history.interests[token] = interest
    }

    mutating func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        try epoll.modify(descriptor, Fault.isDeaf(to: descriptor) ? [] : interest, token: token)
        history.interests[token] = interest
    }

    mutating func deregister(_ descriptor: Int32) {
        epoll.deregister(descriptor)
        // The low half of a token is the number of its descriptor.
        history.interests = history.interests.filter { UInt32(truncatingIfNeeded: $0.key) != UInt32(descriptor) }
    }

    mutating func wait(
        until deadline: PollDeadline,
        _ ready: (_ token: UInt64, Readiness) -> Void
    ) throws(LoopError) {
        var (period, most) = (Duration?.none, Int.max)
        switch deadline {
        case .now: break
        case .never: period = Fault.period(history)
        case .at(let instant):
            if instant > MonotonicClock().now { history.hasHadDeadline = true }
            most = Fault.mostBeforeDeadline
        }
        var found: [(token: UInt64, readiness: Readiness)] = []
        repeat {
            let next = period.map { PollDeadline.at(MonotonicClock().now + $0) } ?? deadline
            try epoll.wait(until: next) { token, readiness in found.append((token, readiness)) }
        } while period != nil && found.isEmpty
        report(found, atMost: most, ready)
    }

    private mutating func report(
        _ found: [(token: UInt64, readiness: Readiness)],
        atMost most: Int,
        _ ready: (_ token: UInt64, Readiness) -> Void
    ) {
        var count = 0
        for (token, readiness) in found.sorted(by: { $0.token < $1.token }) {
            if token == history.own {
                history.hasWoken = true
            } else {
                history.hasReported = true
                count += 1
                if count > most { continue }
            }
            ready(token, readiness)
        }
    }
}

/// Wakes every millisecond before its first deadline.
enum RestlessBeforeDeadline: PollerFault {
    static func period(_ history: PollerHistory) -> Duration? { history.hasHadDeadline ? nil : .milliseconds(1) }
}

/// Wakes every millisecond with a watch before its first deadline.
enum RestlessWithFirstWatch: PollerFault {
    static func period(_ history: PollerHistory) -> Duration? {
        history.hasWatch && !history.hasHadDeadline ? .milliseconds(1) : nil
    }
}

/// Wakes every millisecond before its first deadline, after another thread has ended a wait.
enum RestlessAfterHop: PollerFault {
    static func period(_ history: PollerHistory) -> Duration? {
        history.hasWoken && !history.hasHadDeadline ? .milliseconds(1) : nil
    }
}

/// Wakes every millisecond with a watch, after a descriptor has been ready.
enum RestlessAfterEvent: PollerFault {
    static func period(_ history: PollerHistory) -> Duration? {
        history.hasWatch && history.hasReported ? .milliseconds(1) : nil
    }
}

/// Wakes every millisecond while something is watched for writing.
enum RestlessForWriting: PollerFault {
    static func period(_ history: PollerHistory) -> Duration? { history.hasWriter ? .milliseconds(1) : nil }
}

/// Wakes every 20 ms.
enum SlowlyRestless: PollerFault {
    static func period(_ history: PollerHistory) -> Duration? { .milliseconds(20) }
}

/// Reports only the two lowest of the ready descriptors if the wait has a deadline.
enum FewBeforeDeadline: PollerFault {
    static let mostBeforeDeadline = 2
}

/// Never reports a descriptor that is too high for `select`.
enum DeafToHighNumbers: PollerFault {
    static func isDeaf(to descriptor: Int32) -> Bool { descriptor >= 1024 }
}
