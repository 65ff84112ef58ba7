public import ReactiveCore
import SchedulerEngine

/// An ``EpollPoller`` under another name, which makes ``DispatchLoop`` a type of its own: a process can have both
/// `DispatchLoop.main`, which is attached to the main queue, and `EpollLoop.main`, which is not.
public struct DispatchPoller: Poller, ~Copyable {
    private var epoll: EpollPoller

    public init() throws(LoopError) { epoll = try EpollPoller() }

    public var pollDescriptor: Int32? { epoll.pollDescriptor }

    public mutating func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        try epoll.register(descriptor, interest, token: token)
    }

    public mutating func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        try epoll.modify(descriptor, interest, token: token)
    }

    public mutating func deregister(_ descriptor: Int32) { epoll.deregister(descriptor) }

    public mutating func wait(
        until deadline: PollDeadline,
        _ ready: (_ token: UInt64, Readiness) -> Void
    ) throws(LoopError) {
        try epoll.wait(until: deadline, ready)
    }
}
