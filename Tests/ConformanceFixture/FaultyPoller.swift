// SPDX-License-Identifier: MIT
import Glibc
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
    /// Other faults.
    static var kinds: Set<PollerFaultKind> { get }
}

enum PollerFaultKind {
    /// Keeps an interest that is narrowed.
    case neverNarrows
    /// Keeps a closed number that is deregistered, and never sleeps again.
    case keepsClosedNumbers
    /// Never sleeps while a registered descriptor is closed.
    case reportsClosedNumbers
    /// Never sleeps on another thread than the one that has created it.
    case spinsElsewhere
    /// Reports no watched descriptor on another thread than the one that has created it.
    case deafElsewhere
    /// Blocks all signals while it waits.
    case blocksSignals
    /// Ends a wait of more than half a second 1.5 s late.
    case lateIfLong
    /// Does not wait if the time until the deadline has more than 31 bits of milliseconds.
    case overflowsInAMonth
    /// Reports the unread bytes of a pipe once.
    case edgeTriggeredPipes
    /// Does not report a socket whose only event is an error.
    case ignoresSocketErrors
    /// Fails to wait until an instant before the clock's zero.
    case failsInThePast
}

extension PollerFault {
    static func period(_ history: PollerHistory) -> Duration? { nil }
    static func isDeaf(to descriptor: Int32) -> Bool { false }
    static var mostBeforeDeadline: Int { .max }
    static var kinds: Set<PollerFaultKind> { [] }
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
    private let creator = pthread_self()
    /// The registered descriptors with their interests.
    private var registered: [Int32: Readiness] = [:]
    private var hasKept = false
    private var reportedPipes: Set<UInt64> = []

    init() throws(LoopError) { epoll = try EpollPoller() }

    mutating func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        try epoll.register(descriptor, Fault.isDeaf(to: descriptor) ? [] : interest, token: token)
        if history.own == nil { history.own = token }
        history.interests[token] = interest
        registered[descriptor] = interest
    }

    mutating func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        var next = Fault.isDeaf(to: descriptor) ? [] : interest
        if Fault.kinds.contains(.neverNarrows), !next.isEmpty { next.formUnion(registered[descriptor] ?? []) }
        try epoll.modify(descriptor, next, token: token)
        history.interests[token] = interest
        registered[descriptor] = next
    }

    mutating func deregister(_ descriptor: Int32) {
        epoll.deregister(descriptor)
        registered[descriptor] = nil
        if Fault.kinds.contains(.keepsClosedNumbers), isClosed(descriptor) { hasKept = true }
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
            if Fault.kinds.contains(.failsInThePast), instant.nanoseconds < 0 {
                throw LoopError(.systemCall, errno: EINVAL, "on purpose")
            }
            if instant > MonotonicClock().now { history.hasHadDeadline = true }
            most = Fault.mostBeforeDeadline
        }
        var found: [(token: UInt64, readiness: Readiness)] = []
        let isSpinning = spins
        repeat {
            let next = period.map { PollDeadline.at(MonotonicClock().now + $0) } ?? moved(deadline)
            try Self.withSignalsBlocked { () throws(LoopError) in
                try epoll.wait(until: isSpinning ? .now : next) { token, readiness in found.append((token, readiness)) }
            }
        } while period != nil && found.isEmpty
        let isDeaf = Fault.kinds.contains(.deafElsewhere) && isElsewhere
        found.removeAll { $0.token != history.own && (isDeaf || isLost($0.token)) }
        report(found, atMost: most, ready)
    }

    /// Whether the poller ignores an event. The low half of a token is the number of its descriptor.
    private mutating func isLost(_ token: UInt64) -> Bool {
        if Fault.kinds.isDisjoint(with: [.edgeTriggeredPipes, .ignoresSocketErrors]) { return false }
        let descriptor = Int32(truncatingIfNeeded: token)
        var (status, request) = (stat(), pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        guard fstat(descriptor, &status) == 0 else { return false }
        poll(&request, 1, 0)
        let events = Int32(request.revents)
        if Fault.kinds.contains(.edgeTriggeredPipes), status.st_mode & S_IFMT == S_IFIFO, events == POLLIN {
            return !reportedPipes.insert(token).inserted
        }
        return Fault.kinds.contains(.ignoresSocketErrors) && status.st_mode & S_IFMT == S_IFSOCK && events == POLLERR
    }

    private var isElsewhere: Bool { pthread_equal(creator, pthread_self()) == 0 }

    private var spins: Bool {
        let reportsClosed = Fault.kinds.contains(.reportsClosedNumbers)
        return hasKept || Fault.kinds.contains(.spinsElsewhere) && isElsewhere
            || reportsClosed && registered.keys.contains { isClosed($0) }
    }

    private func isClosed(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) < 0 }

    /// The deadline that the poller waits for.
    private func moved(_ deadline: PollDeadline) -> PollDeadline {
        guard case .at(let instant) = deadline else { return deadline }
        let now = MonotonicClock().now
        if Fault.kinds.contains(.overflowsInAMonth), instant > now + .milliseconds(Int64(Int32.max)) { return .now }
        if Fault.kinds.contains(.lateIfLong), instant > now + .milliseconds(500) {
            return .at(instant + .milliseconds(1500))
        }
        return deadline
    }

    private static func withSignalsBlocked(_ body: () throws(LoopError) -> Void) throws(LoopError) {
        guard Fault.kinds.contains(.blocksSignals) else { return try body() }
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
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

enum NeverNarrows: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.neverNarrows]
}

enum KeepsClosedNumbers: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.keepsClosedNumbers]
}

enum ReportsClosedNumbers: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.reportsClosedNumbers]
}

enum SpinsElsewhere: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.spinsElsewhere]
}

enum DeafElsewhere: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.deafElsewhere]
}

enum BlocksSignals: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.blocksSignals]
}

enum LateIfLong: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.lateIfLong]
}

enum FailsInThePast: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.failsInThePast]
}

enum OverflowsInAMonth: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.overflowsInAMonth]
}

enum EdgeTriggeredPipes: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.edgeTriggeredPipes]
}

enum IgnoresSocketErrors: PollerFault {
    static let kinds: Set<PollerFaultKind> = [.ignoresSocketErrors]
}
