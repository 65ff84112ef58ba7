// SPDX-License-Identifier: MIT
import CReactive
import Glibc
public import ReactiveCore
import ReactiveSupport

/// A poller that waits on its own epoll set, without any library. `EpollLoop`, `DispatchLoop` and guests use it.
///
/// The poller owns the epoll descriptor, a timerfd in its set, and the buffer for one batch. `deinit` releases them.
/// Deadlines use the timerfd, because `epoll_wait` exceeds its time limit by 50 µs, or by a thousandth of the limit if
/// that is more.
public struct EpollPoller: Poller, ~Copyable {
    private let epoll: Int32
    private let events = EpollEvents()
    private var timer: TimerDescriptor
    private var isTimerWatched = false

    /// Creates an empty set.
    ///
    /// - Throws: `systemCall` if the system has no descriptor or memory left.
    public init() throws(LoopError) {
        let made = reactive_epoll_create()
        if made < 0 { throw LoopError.system("epoll_create1", errno) }
        do {
            timer = try TimerDescriptor()
        } catch {
            close(made)
            throw error
        }
        epoll = made
    }

    deinit { close(epoll) }

    /// The epoll descriptor, which is readable while a registered descriptor is ready. The host of a guest watches it.
    public var pollDescriptor: Int32? { epoll }

    /// Adds a descriptor to the set with `epoll_ctl`. With an empty interest it only checks the descriptor (rule N23).
    ///
    /// - Throws: `badDescriptor` if it is not open (`EBADF`) or the system cannot wait for its kind (`EPERM`);
    ///   `systemCall` otherwise, for example if the kernel has no memory or the user has too many registrations.
    public mutating func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        do {
            try control(.add, descriptor, interest, token)
        } catch  where error.errno == EEXIST {
            // The owner has closed this number while a duplicate kept the file registered. Now the number refers to
            // that file again.
            try control(.change, descriptor, interest, token)
        }
        // A descriptor with an empty interest is added first and then removed, so that the kernel reports a bad
        // descriptor now.
        if interest.isEmpty { deregister(descriptor) }
    }

    /// Changes the interest and the token of a registered descriptor.
    ///
    /// - Throws: The errors of ``register(_:_:token:)``.
    public mutating func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        // epoll reports hang-ups even for an empty mask, so a descriptor with an empty interest leaves the set.
        if interest.isEmpty { return deregister(descriptor) }
        do {
            try control(.change, descriptor, interest, token)
        } catch  where error.errno == ENOENT {
            try control(.add, descriptor, interest, token)
        }
    }

    /// Removes a descriptor from the set. The descriptor may already be closed.
    public mutating func deregister(_ descriptor: Int32) {
        _ = reactive_epoll_control(epoll, EpollOperation.remove.rawValue, descriptor, 0, 0)
    }

    /// Waits until a descriptor is ready or the deadline is reached, then reports at most 128 events. If more descriptors
    /// are ready, the kernel puts the reported ones behind the others, so the next wait begins with the others (rule S9).
    ///
    /// An interruption by a signal ends the wait without events (rule G6).
    ///
    /// - Throws: `systemCall` if `epoll_wait` fails, or if the timerfd cannot be registered. The first wait with a deadline
    ///   registers it.
    public mutating func wait(
        until deadline: PollDeadline,
        _ ready: (_ token: UInt64, Readiness) -> Void
    ) throws(LoopError) {
        switch deadline {
        case .now: break
        case .never: timer.disarm()
        case .at(let instant):
            if !isTimerWatched { try watchTimer() }
            timer.arm(instant)
        }
        let isPolling = if case .now = deadline { true } else { false }
        let count = events.wait(epoll, milliseconds: isPolling ? 0 : -1)
        if count < 0 {
            if count == -EINTR { return }
            throw LoopError.system("epoll_wait", -count)
        }
        for index in 0..<count {
            let (token, reported) = events.event(index)
            if token != TimerDescriptor.pollToken {
                ready(token, Readiness(epoll: reported))
            } else if isPolling {
                // The timer expired after an earlier wait with a deadline. If it stayed readable, a host that watches
                // the set would always see the set as readable.
                timer.disarm()
            }
        }
    }

    private mutating func watchTimer() throws(LoopError) {
        try register(timer.descriptor, .read, token: TimerDescriptor.pollToken)
        isTimerWatched = true
    }

    private func control(
        _ operation: EpollOperation,
        _ descriptor: Int32,
        _ interest: Readiness,
        _ token: UInt64
    ) throws(LoopError) {
        let code = reactive_epoll_control(epoll, operation.rawValue, descriptor, interest.epoll, token)
        if code != 0 { throw LoopError.watching(descriptor, code) }
    }
}

/// The operations of `epoll_ctl`.
package enum EpollOperation: Int32 {
    case add = 1
    case remove = 2
    case change = 3
}

extension Readiness {
    private static let epollIn: UInt32 = 0x001
    private static let epollOut: UInt32 = 0x004

    /// The flags of `epoll_ctl` for this interest.
    package var epoll: UInt32 {
        (contains(.read) ? Self.epollIn : 0) | (contains(.write) ? Self.epollOut : 0)
    }

    /// A hang-up or an error (every other bit) counts as ready for reading and writing, because the next read or write
    /// returns the error.
    fileprivate init(epoll events: UInt32) {
        if events & ~(Self.epollIn | Self.epollOut) != 0 {
            self = [.read, .write]
        } else {
            self = []
            if events & Self.epollIn != 0 { insert(.read) }
            if events & Self.epollOut != 0 { insert(.write) }
        }
    }
}
