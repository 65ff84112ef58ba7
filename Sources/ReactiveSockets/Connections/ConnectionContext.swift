// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The state that connections with the same listener, local address and loop share, to save memory.
final class ConnectionContext: Sendable {
    let loop: any LoopScheduler
    let watermarks: Watermarks
    /// Waiting bytes are written when there are this many. It is at most the high watermark, which must be reported.
    let gatherLimit: Int
    /// The local address.
    let address: SocketAddress?
    let gathering = UnsafeTransfer(Gathering())
    /// The loop, if it can call a connection without a closure.
    private let ownerWatching: (any OwnerWatching)?
    /// Identifies such a loop as the current one without a call to it.
    private let mark: CurrentScheduler.Mark?

    init(_ loop: any LoopScheduler, _ watermarks: Watermarks, _ address: SocketAddress?) {
        self.loop = loop
        self.watermarks = watermarks
        gatherLimit = min(16 * 1024, watermarks.high)
        self.address = address
        ownerWatching = loop as? any OwnerWatching
        mark = ownerWatching?.mark
    }

    @inline(__always)
    var isCurrent: Bool { mark?.isCurrent ?? loop.isCurrent }

    /// Watches a connection's descriptor. Disposing the loop abandons the connection.
    ///
    /// Retaining an object that has weak references is expensive, and a loop retains the owner for every call. Timeouts
    /// use weak references, so the watch of a connection with timeouts retains an anchor instead.
    func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        _ core: ConnectionCore
    ) throws(LoopError) -> any DescriptorWatch {
        if let ownerWatching {
            let owner: any DescriptorOwner = core.extras?.timing == nil ? core : WatchAnchor(core)
            return try ownerWatching.watch(descriptor, for: interest, owner: owner)
        }
        let anchor = WatchAnchor(core)
        return try loop.watch(descriptor, for: interest) { readiness in
            anchor.core.descriptorBecameReady(for: readiness)
        }
    }
}

/// The slot for the single small buffer that a delivery has sent. This is the usual case, and needs no queue.
///
/// A connection uses the slot only during a delivery, so connections share it. It belongs to the loop.
final class Gathering {
    @safe @exclusivity(unchecked)
    var piece: Bytes?
}
