// SPDX-License-Identifier: MIT
import ReactiveCore
import SchedulerEngine

/// A poller that wakes every millisecond while nothing is ready, until it has waited for a deadline once. It continues to
/// wait inside of the turn.
struct RestlessPoller: Poller, ~Copyable {
    private var epoll: EpollPoller
    private var hasHadDeadline = false

    init() throws(LoopError) { epoll = try EpollPoller() }

    mutating func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        try epoll.register(descriptor, interest, token: token)
    }

    mutating func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        try epoll.modify(descriptor, interest, token: token)
    }

    mutating func deregister(_ descriptor: Int32) { epoll.deregister(descriptor) }

    mutating func wait(
        until deadline: PollDeadline,
        _ ready: (_ token: UInt64, Readiness) -> Void
    ) throws(LoopError) {
        if case .at = deadline { hasHadDeadline = true }
        guard case .never = deadline, !hasHadDeadline else { return try epoll.wait(until: deadline, ready) }
        var isReady = false
        while !isReady {
            try epoll.wait(until: .at(MonotonicClock().now + .milliseconds(1))) { token, readiness in
                isReady = true
                ready(token, readiness)
            }
        }
    }
}
