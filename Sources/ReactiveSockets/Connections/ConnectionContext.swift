// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The state that connections of one listener share if they have the same local address and loop. Sharing saves memory.
final class ConnectionContext: Sendable {
    let loop: any LoopScheduler
    let watermarks: Watermarks
    /// The number of gathered bytes at which they are written. It is at most the high watermark, so that gathered bytes
    /// cannot reach the watermark without a report.
    let gatherLimit: Int
    /// The local address.
    let address: SocketAddress?
    /// Records whether the server drains. `nil` means that there is no server.
    let drain: DrainMark?
    /// The proxy through which the connection has arrived. Then the context belongs to one connection. Otherwise `nil`.
    let proxy: ConnectionProxy?
    let gathering: UnsafeTransfer<Gathering>
    /// The loop, if it can call a connection directly instead of through a closure.
    private let ownerWatching: (any OwnerWatching)?
    /// Shows whether this loop is the current one, without a call of the loop.
    private let mark: CurrentScheduler.Mark?

    init(
        _ loop: any LoopScheduler,
        _ watermarks: Watermarks,
        _ address: SocketAddress?,
        _ drain: DrainMark? = nil
    ) {
        self.loop = loop
        self.watermarks = watermarks.valid
        gatherLimit = min(16 * 1024, self.watermarks.high)
        self.address = address
        self.drain = drain
        proxy = nil
        gathering = UnsafeTransfer(Gathering())
        ownerWatching = loop as? any OwnerWatching
        mark = ownerWatching?.mark
    }

    /// Creates the context of a connection that has arrived through a proxy. It shares the buffers of `other`.
    init(sharing other: ConnectionContext, _ proxy: ConnectionProxy) {
        loop = other.loop
        watermarks = other.watermarks
        gatherLimit = other.gatherLimit
        address = proxy.header.destination ?? other.address
        drain = other.drain
        self.proxy = proxy
        gathering = other.gathering
        ownerWatching = other.ownerWatching
        mark = other.mark
    }

    @inline(__always)
    var isCurrent: Bool { mark?.isCurrent ?? loop.isCurrent }

    /// Watches a connection's descriptor without retaining the connection. Disposing the loop abandons the connection.
    func watchWeakly(
        _ descriptor: Int32,
        for interest: Readiness,
        _ core: ConnectionCore
    ) throws(LoopError) -> any DescriptorWatch {
        if let ownerWatching { return try ownerWatching.watch(descriptor, for: interest, owner: WeakOwner(core)) }
        let (end, core) = (ScopedDisposable(core.abandonWithLoop()), UnsafeTransfer(Weak(core)))
        return try loop.watch(descriptor, for: interest) { readiness in
            withExtendedLifetime(end) { core.value.object?.descriptorBecameReady(for: readiness) }
        }
    }

    /// Watches a connection's descriptor. Disposing the loop abandons the connection.
    func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        _ core: ConnectionCore
    ) throws(LoopError) -> any DescriptorWatch {
        if let ownerWatching {
            let owner: any DescriptorOwner = core.extras?.timing == nil ? core : TimedOwner(core)
            return try ownerWatching.watch(descriptor, for: interest, owner: owner)
        }
        return try core.watchDescriptor(descriptor, for: interest) { core, readiness in
            core.descriptorBecameReady(for: readiness)
        }
    }
}

/// A slot for one small buffer that is sent during a delivery, usually the only one, which then needs no queue. And the
/// files of a turn.
///
/// A connection uses the slot only during a delivery, so all connections of the context can share it. Only the loop
/// accesses it.
final class Gathering {
    @safe @exclusivity(unchecked)
    var bytes: Bytes?
    /// The numbers of the current turn, created for the first file.
    private(set) lazy var fileTurns = FileTurns()
}
