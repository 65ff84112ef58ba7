import CReactive
import Glibc
public import ReactiveCore
import ReactiveSupport

/// Waits on an epoll set of its own, without any library: what guests of a host are on, and `DispatchLoop`.
///
/// Owned here: the epoll descriptor and the buffer for one batch; both are given back by `deinit`.
public struct EpollPoller: Poller, ~Copyable {
    private static let capacity = 1024
    private let epoll: Int32
    private let events: UnsafeMutableRawPointer

    public init() throws(LoopError) {
        let made = reactive_epoll_create()
        if made < 0 { throw LoopError.system("epoll_create1", errno) }
        epoll = made
        events = .allocate(byteCount: Self.capacity * reactive_epoll_event_size(), alignment: 16)
    }

    deinit {
        events.deallocate()
        close(epoll)
    }

    public var pollDescriptor: Int32? { epoll }

    public mutating func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        try control(.add, descriptor, interest, token)
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
        let nanoseconds: Int64 =
            switch deadline {
            case .now: 0
            case .never: -1
            case .at(let instant): Self.timeout(until: instant)
            }
        let count = reactive_epoll_wait(epoll, events, Int32(Self.capacity), nanoseconds)
        if count < 0 {
            if count == -EINTR, !fault(.interruptionIsFailure) { return }
            throw LoopError.system("epoll_wait", -count)
        }
        for index in 0..<count {
            ready(reactive_epoll_token(events, index), Readiness(epoll: reactive_epoll_ready(events, index)))
        }
    }

    /// The kernel ends a wait 50 µs late, or by a thousandth of it where that is more, unless something else wakes the processor before;
    /// so a wait is for less by half of that. Where it ends too early, the engine waits for what is left.
    private static func timeout(until instant: LoopInstant) -> Int64 {
        let now = MonotonicClock().now
        if instant <= now { return 0 }
        let left = instant.nanoseconds - now.nanoseconds
        let halfOfSlack = max(25_000, left / 2000)
        return left > halfOfSlack ? left - halfOfSlack : left
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
        if code != 0, !fault(.badDescriptorTaken) { throw LoopError.watching(descriptor, code) }
    }
}

extension Readiness {
    private static let epollIn: UInt32 = 0x001
    private static let epollOut: UInt32 = 0x004

    fileprivate var epoll: UInt32 {
        (contains(.read) ? Self.epollIn : 0) | (contains(.write) ? Self.epollOut : 0)
            | (fault(.edgeTriggered) ? 1 << 31 : 0)
    }

    /// A hang-up or an error (every other bit) is ready for everything: the next call tells which it was.
    fileprivate init(epoll events: UInt32) {
        if events & ~(Self.epollIn | Self.epollOut) != 0, !fault(.hangUpUntold) {
            self = [.read, .write]
        } else {
            self = []
            if events & Self.epollIn != 0 { insert(.read) }
            if events & Self.epollOut != 0 { insert(.write) }
        }
    }
}
