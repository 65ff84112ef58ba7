import CReactive
import Glibc
public import ReactiveCore
import ReactiveSupport

/// Waits on an epoll set of its own, without any library: what guests of a host are on, and `DispatchLoop`.
///
/// Owned here: the epoll descriptor, a timerfd in its set, and the buffer for one batch; all are given back by `deinit`. Deadlines
/// are the timerfd's: the kernel ends a wait that has a time limit 50 µs late, or by a thousandth of it where that is more.
public struct EpollPoller: Poller, ~Copyable {
    private let epoll: Int32
    private let events = EpollEvents()
    private var timer: TimerDescriptor
    private var isTimerWatched = false
    private static let timerToken = UInt64.max - 16

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

    public var pollDescriptor: Int32? { epoll }

    public mutating func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        do {
            try control(.add, descriptor, interest, token)
        } catch  where error.errno == EEXIST {
            // Closed by its owner while a duplicate kept it open, and then put behind the same number again.
            try control(.change, descriptor, interest, token)
        }
        // Added first, so that a bad descriptor is found now, whatever is watched for.
        if interest.isEmpty { deregister(descriptor) }
    }

    public mutating func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        // epoll reports hang-ups even for an empty mask: nothing is watched for by not being in the set.
        if interest.isEmpty { return deregister(descriptor) }
        do {
            try control(.change, descriptor, interest, token)
        } catch  where error.errno == ENOENT {
            try control(.add, descriptor, interest, token)
        }
    }

    public mutating func deregister(_ descriptor: Int32) {
        _ = reactive_epoll_control(epoll, Operation.remove.rawValue, descriptor, 0, 0)
    }

    public mutating func wait(
        until deadline: PollDeadline,
        _ ready: (_ token: UInt64, Readiness) -> Void
    ) throws(LoopError) {
        switch deadline {
        case .now: break
        case .never: timer.disarm()
        case .at(let instant): try arm(instant)
        }
        let isPolling = if case .now = deadline { true } else { false }
        let count = events.wait(epoll, milliseconds: isPolling ? 0 : -1)
        if count < 0 {
            if count == -EINTR { return }
            throw LoopError.system("epoll_wait", -count)
        }
        for index in 0..<count {
            let (token, told) = events.event(index)
            if token != Self.timerToken {
                ready(token, Readiness(epoll: told))
            } else if isPolling {
                // Left from a wait that had a deadline. Whoever watches the set must not see it as ready for good.
                timer.disarm()
            }
        }
    }

    private mutating func arm(_ instant: LoopInstant) throws(LoopError) {
        if !isTimerWatched {
            try register(timer.descriptor, .read, token: Self.timerToken)
            isTimerWatched = true
        }
        timer.arm(instant)
    }

    private enum Operation: Int32 {
        case add = 1
        case remove = 2
        case change = 3
    }

    private func control(
        _ operation: Operation,
        _ descriptor: Int32,
        _ interest: Readiness,
        _ token: UInt64
    ) throws(LoopError) {
        let code = reactive_epoll_control(epoll, operation.rawValue, descriptor, interest.epoll, token)
        if code != 0 { throw LoopError.watching(descriptor, code) }
    }
}

extension Readiness {
    private static let epollIn: UInt32 = 0x001
    private static let epollOut: UInt32 = 0x004

    fileprivate var epoll: UInt32 {
        (contains(.read) ? Self.epollIn : 0) | (contains(.write) ? Self.epollOut : 0)
    }

    /// A hang-up or an error (every other bit) is ready for everything: the next call tells which it was.
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
