import ReactiveCore
import ReactiveSupport

/// What connections have in common that came from one listener, by one address, to one loop; they share it, since there may be many.
final class ConnectionContext: Sendable {
    let loop: any LoopScheduler
    let watermarks: Watermarks
    /// So many bytes are worth a call of their own, or have to be told as waiting.
    let gatherLimit: Int
    /// The address of this end.
    let address: SocketAddress?
    let gathering = UnsafeTransfer(Gathering())
    /// The loop again, where it can call a connection without a closure between.
    private let ownerWatching: (any OwnerWatching)?
    /// By which such a loop is known to be the current one, without asking it.
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

    /// Watches for a connection, which hears of the loop's end too.
    ///
    /// A loop holds whom it calls, for every call; and to hold an object that somebody refers to weakly, as timeouts do, takes 130
    /// instructions more. So one that has timeouts is held by its anchor.
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
        return try loop.watch(descriptor, for: interest) { readiness in anchor.core.isReady(for: readiness) }
    }
}

/// What one delivery has sent back, where it is one piece: nearly always, and it costs no queue. A connection needs it for as long as
/// a delivery lasts, and so it is the context's. It belongs to the loop.
final class Gathering {
    @safe @exclusivity(unchecked)
    var piece: Bytes?
}
