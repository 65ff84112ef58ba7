// SPDX-License-Identifier: MIT
public import ReactiveCore
import SchedulerEngine

/// The poller of ``DispatchLoop``. It wraps an `EpollPoller`, so that `DispatchLoop` and `EpollLoop` are different
/// types. A process can then have both `DispatchLoop.main`, which is attached to the main queue, and `EpollLoop.main`,
/// which is not.
public struct DispatchPoller: Poller, ~Copyable {
    private var epoll: EpollPoller

    /// Creates an empty set.
    ///
    /// - Throws: `systemCall` if the system has no descriptor or memory left.
    public init() throws(LoopError) { epoll = try EpollPoller() }

    /// The epoll descriptor, which is readable while a registered descriptor is ready. A host loop watches it.
    public var pollDescriptor: Int32? { epoll.pollDescriptor }

    /// Adds a descriptor to the set.
    ///
    /// - Throws: The errors of `EpollPoller.register(_:_:token:)`.
    public mutating func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        try epoll.register(descriptor, interest, token: token)
    }

    /// Changes the interest and the token of a registered descriptor.
    ///
    /// - Throws: The errors of `EpollPoller.modify(_:_:token:)`.
    public mutating func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        try epoll.modify(descriptor, interest, token: token)
    }

    /// Removes a descriptor from the set. The descriptor may already be closed.
    public mutating func deregister(_ descriptor: Int32) { epoll.deregister(descriptor) }

    /// Waits until a descriptor is ready or the deadline is reached, then reports at most 128 events.
    ///
    /// - Throws: The errors of `EpollPoller.wait(until:_:)`.
    public mutating func wait(
        until deadline: PollDeadline,
        _ ready: (_ token: UInt64, Readiness) -> Void
    ) throws(LoopError) {
        try epoll.wait(until: deadline, ready)
    }
}
