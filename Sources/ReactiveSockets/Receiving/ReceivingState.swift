// SPDX-License-Identifier: MIT
/// The state of a connection's receiving side: the peer's stream, the delivery of a chunk, and the size of the next
/// chunk.
///
/// Its size is three bytes. Its transitions call no other code, so tests need no socket. Each asserts the states from which
/// it is legal.
struct ReceivingState {
    /// The progress of the peer's stream.
    enum Stream {
        case open
        /// A peek has found bytes that no reader has received. Another peek would find the same bytes.
        case unread
        /// The peer has ended its stream. The reader must receive transformed bytes before the end.
        case endHeld
        case ended
    }

    /// Whether a chunk is being delivered to the reader.
    enum Delivery {
        case none
        case underWay
        /// A chunk is being delivered, and the reader terminates when that delivery returns (law 2).
        case underWayBeforeTermination
    }

    /// The maximum size of the next read.
    enum ChunkLimit {
        /// The last chunk was released when its delivery returned. Large reads cost less per byte.
        case large
        /// The application keeps chunks. Small reads bound the memory that they retain.
        case small

        var byteCount: Int { self == .large ? SlabCache.longestSlab : 16 * 1024 }
    }

    private(set) var stream = Stream.open
    private(set) var delivery = Delivery.none
    private(set) var chunkLimit = ChunkLimit.large

    // MARK: The peer's stream

    /// Records that a reader starts or resumes, or that the transformer needs input. The bytes that a peek has found are then
    /// received.
    mutating func resume() {
        if stream == .unread { stream = .open }
    }

    /// Records that a peek has found a byte.
    mutating func findUnread() {
        assert(stream == .open, "a peek in \(stream)")
        stream = .unread
    }

    /// Records that the peer has ended its stream. Transformed bytes or a pause may delay the reader's termination.
    mutating func holdEnd() {
        assert(stream != .ended, "the stream ends twice")
        stream = .endHeld
    }

    /// Records that nothing more will be received.
    mutating func reachEnd() { stream = .ended }

    var hasEnded: Bool { stream == .ended }

    // MARK: Delivering

    @inline(__always)
    var isDelivering: Bool { delivery != .none }

    @inline(__always)
    mutating func beginDelivery() {
        assert(delivery == .none, "deliveries overlap")
        delivery = .underWay
    }

    /// Returns whether the reader has to terminate now.
    @inline(__always)
    mutating func endDelivery() -> Bool {
        assert(delivery != .none, "no delivery is under way")
        let last = delivery
        delivery = .none
        return last == .underWayBeforeTermination
    }

    /// Returns whether the reader's termination has to wait until the delivery returns.
    mutating func defersTermination() -> Bool {
        guard isDelivering else { return false }
        delivery = .underWayBeforeTermination
        return true
    }

    /// Records a delivered chunk. `isKept` is true if the application still retains its bytes.
    @inline(__always)
    mutating func delivered(isKept: Bool) { chunkLimit = isKept ? .small : .large }

    // MARK: Watching

    /// The reader, if there is one.
    enum ReaderState {
        case none
        case paused
        case receiving
    }

    /// What receiving needs from the descriptor's watch.
    enum WatchNeed {
        case none
        /// The watch has an empty interest, and only keeps the connection alive.
        case quiet
        /// The watch looks for the end of the stream, and does not keep the connection alive.
        case peek
        case read
    }

    /// Whether to peek for the end of the stream. `holdsBytes` is true if transformed bytes wait for the reader.
    func peeks(for reader: ReaderState, holdsBytes: Bool) -> Bool {
        stream == .open && reader != .receiving && !holdsBytes
    }

    /// What receiving needs from the watch. `observesEnd` is true if the end of the stream has observers.
    func watchNeed(of reader: ReaderState, holdsBytes: Bool, observesEnd: Bool) -> WatchNeed {
        let peeks = peeks(for: reader, holdsBytes: holdsBytes)
        switch reader {
        case .receiving: return holdsBytes || stream == .endHeld ? .quiet : .read
        case .paused, .none:
            if observesEnd { return peeks ? .read : .quiet }
            if reader == .paused { return .quiet }
            return peeks ? .peek : .none
        }
    }
}
