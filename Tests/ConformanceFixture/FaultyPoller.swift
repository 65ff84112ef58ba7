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
    /// If a deadline is less than this away, the poller looks at no descriptor until then.
    static var deafness: Duration { get }
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
    /// Blocks the signals that end a process while it waits.
    case blocksTermination
    /// Spins for the last 10 ms before each deadline.
    case spinsBeforeDeadlines
    /// Ends a wait of more than half a second 1.5 s late.
    case lateIfLong
    /// Does not wait if the time until the deadline has more than 31 bits of milliseconds.
    case overflowsInAMonth
    /// Reports the unread bytes of a pipe once.
    case edgeTriggeredPipes
    /// Reports the unread bytes of a terminal once.
    case edgeTriggeredTerminals
    /// Does not report a socket whose only event is an error.
    case ignoresSocketErrors
    /// Fails to wait until an instant before the clock's zero.
    case failsInThePast
    /// Does nothing in `deregister`.
    case ignoresRemoval
    /// Waits for reading too, whatever the interest is.
    case alwaysReads
    /// Never sleeps while a descriptor is watched for both.
    case spinsForBoth
    /// Forgets that a descriptor is readable when its interest in reading is set again.
    case forgetsUnchanged
    /// Never sleeps while the peer of a watched descriptor has ended its sending (`EPOLLRDHUP`).
    case reportsEndOfSending
    /// Restarts an interrupted wait with its whole time limit.
    case restartsWaits
    /// Never reports the descriptors that are registered after the first thousand.
    case deafAfterThousand
    /// Does not register more than a thousand descriptors.
    case refusesAfterThousand
    /// Wakes every 5 ms while the deadline is 2 s to 50 min away.
    case restlessForMinutes
    /// Exceeds each time limit by a quarter.
    case lateByAQuarter
    /// Ignores hang-ups and errors if the wait may sleep.
    case ignoresHangUpsAsleep
    /// Starts a thread that never ends.
    case leaksThreads
    /// Starts a thread that wakes every millisecond.
    case startsRestlessThread
    /// Unblocks all signals while it waits.
    case unblocksSignals
    /// Makes each registered descriptor nonblocking.
    case setsFlags
    /// Closes descriptor 0 with its own.
    case closesZero
    /// Looks at a deadline only every half second while it has a watch.
    case slicesWaits
    /// Never sleeps after it has refused a descriptor.
    case keepsRefused
    /// Spins for the last 50 ms before each deadline while it has a watch.
    case spinsBesideWatches
    /// Never sleeps after the kernel has refused a change.
    case keepsRefusedChanges
    /// Reports one descriptor if the deadline has passed, always the same one.
    case stopsAtDeadline
}

extension PollerFault {
    static func period(_ history: PollerHistory) -> Duration? { nil }
    static func isDeaf(to descriptor: Int32) -> Bool { false }
    static var mostBeforeDeadline: Int { .max }
    static var deafness: Duration { .zero }
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
    /// Whether a signal has interrupted a wait.
    fileprivate(set) var wasInterrupted = false

    var hasWatch: Bool { interests.contains { $0.key != own && !$0.value.isEmpty } }
    var hasWriter: Bool { writers > 0 }
    var watches: Int { interests.count }
    var writers: Int { interests.count { $0.value.contains(.write) } }
    var hasListener: Bool { interests.keys.contains { isListening(Int32(truncatingIfNeeded: $0)) } }

    private func isListening(_ descriptor: Int32) -> Bool {
        var (value, size) = (Int32(0), socklen_t(4))
        return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value != 0
    }
}

/// An epoll poller with a fault.
struct FaultyPoller<Fault: PollerFault>: Poller, ~Copyable {
    private var epoll: EpollPoller
    private var history = PollerHistory()
    private let creator = pthread_self()
    /// The registered descriptors with their interests.
    private var registered: [Int32: Readiness] = [:]
    private var hasKept = false
    /// The descriptors with unread bytes that have been reported once, by token.
    private var reported: Set<UInt64> = []
    /// The descriptors that are ignored since their interest was set to the same value, by token.
    private var forgotten: Set<UInt64> = []

    init() throws(LoopError) {
        epoll = try EpollPoller()
        if Fault.kinds.contains(.leaksThreads) { Self.startThread() }
        if Fault.kinds.contains(.startsRestlessThread) { Self.startRestlessThread() }
    }

    deinit {
        if Fault.kinds.contains(.closesZero) { close(0) }
    }

    mutating func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        let isFull = registered.count >= 1000
        if Fault.kinds.contains(.refusesAfterThousand), isFull {
            throw LoopError(.systemCall, errno: ENOSPC, "on purpose")
        }
        if Fault.kinds.contains(.setsFlags) { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) }
        let isDeaf = Fault.isDeaf(to: descriptor) || isFull && Fault.kinds.contains(.deafAfterThousand)
        do throws(LoopError) {
            try epoll.register(descriptor, isDeaf ? [] : polled(interest), token: token)
        } catch {
            if Fault.kinds.contains(.keepsRefused) { hasKept = true }
            throw error
        }
        if history.own == nil { history.own = token }
        history.interests[token] = interest
        registered[descriptor] = interest
    }

    mutating func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        var next = Fault.isDeaf(to: descriptor) ? [] : polled(interest)
        if Fault.kinds.contains(.neverNarrows), !next.isEmpty { next.formUnion(registered[descriptor] ?? []) }
        do throws(LoopError) {
            try epoll.modify(descriptor, next, token: token)
        } catch {
            if Fault.kinds.contains(.keepsRefusedChanges) { hasKept = true }
            throw error
        }
        if Fault.kinds.contains(.forgetsUnchanged) {
            let isUnchanged = registered[descriptor] == next && next == .read
            if isUnchanged { forgotten.insert(token) } else { forgotten.remove(token) }
        }
        history.interests[token] = interest
        registered[descriptor] = next
    }

    /// The readiness that the poller waits for.
    private func polled(_ interest: Readiness) -> Readiness {
        Fault.kinds.contains(.alwaysReads) && !interest.isEmpty ? interest.union(.read) : interest
    }

    mutating func deregister(_ descriptor: Int32) {
        if !Fault.kinds.contains(.ignoresRemoval) { epoll.deregister(descriptor) }
        registered[descriptor] = nil
        if Fault.kinds.contains(.keepsClosedNumbers), isClosed(descriptor) { hasKept = true }
        // The low half of a token is the number of its descriptor.
        history.interests = history.interests.filter { UInt32(truncatingIfNeeded: $0.key) != UInt32(descriptor) }
    }

    mutating func wait(
        until deadline: PollDeadline,
        _ ready: (_ token: UInt64, Readiness) -> Void
    ) throws(LoopError) {
        var (period, most, end) = (Duration?.none, Int.max, LoopInstant?.none)
        switch deadline {
        case .now: break
        case .never: period = Fault.period(history)
        case .at(let instant):
            if Fault.kinds.contains(.failsInThePast), instant.nanoseconds < 0 {
                throw LoopError(.systemCall, errno: EINVAL, "on purpose")
            }
            let now = MonotonicClock().now
            if instant > now { history.hasHadDeadline = true }
            let isMinutes = instant > now + .seconds(2) && instant < now + .seconds(3000)
            if isMinutes, Fault.kinds.contains(.restlessForMinutes) { period = .milliseconds(5) }
            most = Fault.mostBeforeDeadline
            end = instant
        }
        var found: [(token: UInt64, readiness: Readiness)] = []
        // What this finds must not wait for the deadline below.
        if let end {
            if Fault.kinds.contains(.spinsBeforeDeadlines) { found = try spin(for: .milliseconds(10), before: end) }
            let spinsNow = Fault.kinds.contains(.spinsBesideWatches) && history.hasWatch
            if spinsNow { found = try spin(for: .milliseconds(50), before: end) }
            if end - MonotonicClock().now < Fault.deafness { sleep(until: end) }
        }
        let (isSpinning, start) = (spins || !found.isEmpty, MonotonicClock().now)
        var isRestarted = false
        repeat {
            var next = period.map { PollDeadline.at(MonotonicClock().now + $0) } ?? moved(deadline)
            if isRestarted, let end { next = .at(MonotonicClock().now + (end - start)) }
            try Self.withSignalsBlocked { () throws(LoopError) in
                try epoll.wait(until: isSpinning ? .now : next) { token, readiness in found.append((token, readiness)) }
            }
            let isInterrupted = found.isEmpty && period == nil && !isSpinning && isAhead(next)
            if isInterrupted { history.wasInterrupted = true }
            isRestarted = isInterrupted && Fault.kinds.contains(.restartsWaits)
        } while isRestarted || period != nil && found.isEmpty && isAhead(deadline)
        let isDeaf = Fault.kinds.contains(.deafElsewhere) && isElsewhere
        let isAsleep = if case .now = deadline { false } else { true }
        found.removeAll { $0.token != history.own && (isDeaf || isLost($0.token, isAsleep: isAsleep)) }
        if Fault.kinds.contains(.stopsAtDeadline), end != nil, !isAhead(deadline) { most = 1 }
        report(found, atMost: most, ready)
    }

    /// Waits until `time` before the deadline, and then asks again and again. Returns what is ready.
    private mutating func spin(
        for time: Duration,
        before deadline: LoopInstant
    ) throws(LoopError) -> [(UInt64, Readiness)] {
        var found: [(UInt64, Readiness)] = []
        try epoll.wait(until: .at(deadline + (.zero - time))) { found.append(($0, $1)) }
        while found.isEmpty, MonotonicClock().now < deadline {
            try epoll.wait(until: .now) { found.append(($0, $1)) }
        }
        return found
    }

    private func sleep(until deadline: LoopInstant) {
        while MonotonicClock().now < deadline { usleep(1000) }  // allowed: it is the fault
    }

    /// Whether a deadline has not been reached.
    private func isAhead(_ deadline: PollDeadline) -> Bool {
        switch deadline {
        case .now: false
        case .never: true
        case .at(let instant): MonotonicClock().now < instant
        }
    }

    private static func startThread() {
        var thread = pthread_t()
        pthread_create(&thread, nil, { _ in while true { pause() } }, nil)
    }

    private static func startRestlessThread() {
        var thread = pthread_t()
        pthread_create(&thread, nil, { _ in while true { usleep(1000) } }, nil)  // allowed: it is the fault
    }

    /// Whether the poller ignores an event. The low half of a token is the number of its descriptor.
    private mutating func isLost(_ token: UInt64, isAsleep: Bool) -> Bool {
        if forgotten.contains(token) { return true }
        let relevant: Set<PollerFaultKind> = [
            .edgeTriggeredPipes, .edgeTriggeredTerminals, .ignoresSocketErrors, .ignoresHangUpsAsleep,
        ]
        if Fault.kinds.isDisjoint(with: relevant) { return false }
        let descriptor = Int32(truncatingIfNeeded: token)
        var (status, request) = (stat(), pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        guard fstat(descriptor, &status) == 0 else { return false }
        poll(&request, 1, 0)
        let events = Int32(request.revents)
        if Fault.kinds.contains(.ignoresHangUpsAsleep), isAsleep, events == POLLHUP || events == POLLERR { return true }
        let kind = status.st_mode & S_IFMT
        let isEdgeTriggered =
            Fault.kinds.contains(.edgeTriggeredPipes) && kind == S_IFIFO
            || Fault.kinds.contains(.edgeTriggeredTerminals) && kind == S_IFCHR
        if isEdgeTriggered, events == POLLIN { return !reported.insert(token).inserted }
        return Fault.kinds.contains(.ignoresSocketErrors) && kind == S_IFSOCK && events == POLLERR
    }

    private var isElsewhere: Bool { pthread_equal(creator, pthread_self()) == 0 }

    private var spins: Bool {
        let reportsClosed = Fault.kinds.contains(.reportsClosedNumbers)
        let reportsEnd = Fault.kinds.contains(.reportsEndOfSending)
        return hasKept || reportsEnd && registered.contains { !$0.value.isEmpty && hasPeerEnded($0.key) }
            || Fault.kinds.contains(.spinsElsewhere) && isElsewhere
            || Fault.kinds.contains(.spinsForBoth) && registered.values.contains([.read, .write])
            || reportsClosed && registered.keys.contains { isClosed($0) }
    }

    /// Whether the peer has ended its sending (`POLLRDHUP`).
    private func hasPeerEnded(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: 0x2000, revents: 0)
        return poll(&request, 1, 0) > 0 && request.revents & 0x2000 != 0
    }

    private func isClosed(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) < 0 }

    /// The deadline that the poller waits for.
    private func moved(_ deadline: PollDeadline) -> PollDeadline {
        guard case .at(let instant) = deadline else { return deadline }
        let now = MonotonicClock().now
        if Fault.kinds.contains(.overflowsInAMonth), instant > now + .milliseconds(Int64(Int32.max)) { return .now }
        if Fault.kinds.contains(.lateByAQuarter), instant > now { return .at(instant + (instant - now) / 4) }
        if Fault.kinds.contains(.slicesWaits), history.hasWatch, instant > now {
            let slice = Duration.milliseconds(500)
            return .at(now + slice * Int((instant - now) / slice + 1))
        }
        if Fault.kinds.contains(.lateIfLong), instant > now + .milliseconds(500) {
            return .at(instant + .milliseconds(1500))
        }
        return deadline
    }

    private static func withSignalsBlocked(_ body: () throws(LoopError) -> Void) throws(LoopError) {
        var (blocked, before) = (sigset_t(), sigset_t())
        if Fault.kinds.contains(.blocksSignals) { sigfillset(&blocked) }
        if Fault.kinds.contains(.blocksTermination) { for signal in [SIGTERM, SIGINT] { sigaddset(&blocked, signal) } }
        pthread_sigmask(Fault.kinds.contains(.unblocksSignals) ? SIG_SETMASK : SIG_BLOCK, &blocked, &before)
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
