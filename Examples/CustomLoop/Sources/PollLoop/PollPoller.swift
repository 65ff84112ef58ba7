// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import SchedulerEngine

public struct PollPoller: Poller, ~Copyable {
    private var entries: [Int32: (interest: Readiness, token: UInt64)] = [:]

    public init() throws(LoopError) {}

    public mutating func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        if fcntl(descriptor, F_GETFD) < 0 {
            throw LoopError(.badDescriptor, errno: errno, "cannot watch descriptor \(descriptor): it is not open")
        }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            throw LoopError(.badDescriptor, errno: EPERM, "cannot watch descriptor \(descriptor): it is a regular file")
        }
        entries[descriptor] = (interest, token)
    }

    public mutating func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        // The number may have been closed since, or reused for a file.
        try register(descriptor, interest, token: token)
    }

    public mutating func deregister(_ descriptor: Int32) {
        entries[descriptor] = nil
    }

    public mutating func wait(
        until deadline: PollDeadline,
        _ ready: (_ token: UInt64, Readiness) -> Void
    ) throws(LoopError) {
        // poll reports hang-ups even for an empty interest, so such entries are left out.
        let watched = entries.filter { !$0.value.interest.isEmpty }
        var polled = watched.map { descriptor, entry in
            let wanted =
                (entry.interest.contains(.read) ? POLLIN : 0) | (entry.interest.contains(.write) ? POLLOUT : 0)
            return pollfd(fd: descriptor, events: Int16(wanted), revents: 0)
        }
        // poll counts in milliseconds. Round up, because a wait that ends early would only be repeated.
        let milliseconds: Int64 =
            switch deadline {
            case .never: -1
            case .now: 0
            case .at(let instant):
                // The deadline may be `.distantPast`.
                max(0, (max(0, instant.nanoseconds) - MonotonicClock().now.nanoseconds + 999_999) / 1_000_000)
            }
        let count = poll(&polled, nfds_t(polled.count), Int32(min(milliseconds, Int64(Int32.max))))
        if count < 0, errno != EINTR { throw LoopError(.systemCall, errno: errno, "poll: errno \(errno)") }
        for entry in polled where count > 0 && entry.revents != 0 {
            // poll would report a closed descriptor in each wait. `modify` registers a new one with its number.
            if entry.revents & Int16(POLLNVAL) != 0 { entries[entry.fd] = nil }
            guard let token = entries[entry.fd]?.token else { continue }
            var readiness: Readiness = []
            if entry.revents & Int16(POLLIN) != 0 { readiness.insert(.read) }
            if entry.revents & Int16(POLLOUT) != 0 { readiness.insert(.write) }
            // A hang-up or an error counts as ready for both, because the next call on the descriptor returns it.
            if entry.revents & ~Int16(POLLIN | POLLOUT) != 0 { readiness = [.read, .write] }
            ready(token, readiness)
        }
    }
}

public typealias PollLoop = PollerLoop<PollPoller>
