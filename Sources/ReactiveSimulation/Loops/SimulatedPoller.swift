// SPDX-License-Identifier: MIT
import Glibc
public import ReactiveCore
import ReactiveSupport
public import SchedulerEngine

/// An event loop of a simulated host.
///
/// ``SimulatedHost/start(_:)`` creates it and passes it to your code. It keeps the contract of `LoopScheduler`. The
/// world runs its turns, so `run()` is not needed.
public typealias SimulatedLoop = PollerLoop<SimulatedPoller>

/// The poller of a loop on a simulated host: it waits for simulated descriptors in simulated time.
///
/// ``SimulatedHost`` creates it. A loop that is created in another way traps.
public struct SimulatedPoller: Poller, ~Copyable {
    private let host: SimulatedHost
    private let set: PollSet
    /// The descriptor of a guest's set. nil for other loops.
    public let pollDescriptor: Int32?
    private var batch: [PollSet.Report] = []

    /// Creates the poller of the loop that a SimulatedHost is creating on this thread. Traps elsewhere.
    ///
    /// - Throws: `systemCall` if the loop is a guest and the host has no descriptor left.
    public init() throws(LoopError) {
        guard let creation = LoopCreation.current else {
            trap("a SimulatedLoop must be created by a SimulatedHost: call host.start { loop in … }")
        }
        host = creation.host
        set = creation.set
        let descriptor = creation.isGuest ? set.open() : nil
        if let descriptor, descriptor < 0 { throw LoopError.system("epoll_create1", -descriptor) }
        pollDescriptor = descriptor
    }

    /// Adds a simulated descriptor.
    ///
    /// - Throws: `badDescriptor` if the number is not an open simulated descriptor of this host. The message says
    ///   whether it is a real descriptor.
    public mutating func register(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        YieldPoint.pass()
        try check(set.register(descriptor, interest, token: token), descriptor)
    }

    /// Changes the interest and the token of a registered descriptor.
    ///
    /// - Throws: The errors of ``register(_:_:token:)``.
    public mutating func modify(_ descriptor: Int32, _ interest: Readiness, token: UInt64) throws(LoopError) {
        YieldPoint.pass()
        var code = set.modify(descriptor, interest, token: token)
        // The number has been closed and reused since it was registered.
        if code == ENOENT { code = set.register(descriptor, interest, token: token) }
        try check(code, descriptor)
    }

    /// Removes a descriptor, which may be closed.
    public mutating func deregister(_ descriptor: Int32) {
        YieldPoint.pass()
        set.deregister(descriptor)
    }

    /// Reports ready descriptors. If none is ready and the deadline allows it, runs the world until one is.
    ///
    /// - Throws: `systemCall` if no descriptor of the set can ever become ready.
    public mutating func wait(
        until deadline: PollDeadline,
        _ ready: (_ token: UInt64, Readiness) -> Void
    ) throws(LoopError) {
        // A turn takes time, even if it does not wait. Otherwise a thread that polls would stop the world.
        if host.world.strands.isInFunction { YieldPoint.letOthersRun() } else { YieldPoint.pass() }
        set.collect(into: &batch)
        if batch.isEmpty, deadline != .now {
            try host.world.wait(for: set, on: host, until: deadline)
            set.collect(into: &batch)
        }
        for report in batch { ready(report.token, report.readiness) }
        batch.removeAll(keepingCapacity: true)
    }

    private func check(_ code: Int32, _ descriptor: Int32) throws(LoopError) {
        if code == 0 { return }
        if descriptor >= 0, descriptor < host.kernel.firstDescriptor {
            throw LoopError(
                .badDescriptor,
                errno: code,
                "cannot watch descriptor \(descriptor) on a loop of the simulated host \(host.name): it belongs to the real system"
            )
        }
        throw LoopError.watching(descriptor, code)
    }
}
