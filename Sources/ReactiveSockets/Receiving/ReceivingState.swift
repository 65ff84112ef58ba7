/// The state of a connection's receiving side: the peer's stream, the delivery of a chunk, and the size of the next chunk.
///
/// A value of three bytes. Its transitions call nothing, so tests need no socket.
struct ReceivingState {
    /// How far the peer's stream has come.
    enum Stream {
        case open
        /// Peeking found bytes that no reader has received. Peeking again would find the same bytes.
        case unread
        /// The peer has ended its stream. The reader has to receive transformed bytes before it receives the end.
        case endHeld
        case ended
    }

    /// Whether a chunk is being delivered to the reader.
    enum Delivery {
        case none
        case underWay
        /// The reader terminates when the delivery returns (law 2).
        case underWayBeforeTermination
    }

    /// The most bytes that the next read takes.
    enum ChunkLimit {
        /// The last chunk was released when its delivery returned: large reads cost less per byte.
        case large
        /// The application keeps chunks: small reads bound the memory that they need.
        case small

        var byteCount: Int {
            switch self {
            case .large: SlabCache.longestSlab
            case .small: 16 * 1024
            }
        }
    }

    private(set) var stream = Stream.open
    private(set) var delivery = Delivery.none
    private(set) var chunkLimit = ChunkLimit.large

    // MARK: The peer's stream

    /// A reader starts or resumes: it receives the bytes that peeking found.
    mutating func resume() {
        if stream == .unread { stream = .open }
    }

    /// Peeking found a byte.
    mutating func findUnread() {
        if stream == .open { stream = .unread }
    }

    /// The peer has ended its stream. Transformed bytes or the reader may delay the end.
    mutating func holdEnd() {
        if stream != .ended { stream = .endHeld }
    }

    /// Nothing more will be received.
    mutating func reachEnd() { stream = .ended }

    var hasEnded: Bool { stream == .ended }

    // MARK: Delivering

    @inline(__always)
    var isDelivering: Bool { delivery != .none }

    @inline(__always)
    mutating func beginDelivery() { delivery = .underWay }

    /// Returns whether the reader has to terminate now.
    @inline(__always)
    mutating func endDelivery() -> Bool {
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

    /// A chunk was delivered. `isKept` says whether the application keeps its bytes.
    @inline(__always)
    mutating func delivered(isKept: Bool) { chunkLimit = isKept ? .small : .large }

    // MARK: Watching

    /// The reader, if there is one.
    enum ReaderState {
        case none
        case paused
        case receiving
    }

    /// What receiving needs of the descriptor's watch.
    enum WatchNeed {
        case none
        /// The watch keeps the connection alive. It waits for nothing.
        case quiet
        case read
    }

    /// Whether to peek for the end of the stream. `holdsBytes` says whether transformed bytes wait for the reader.
    func peeks(for reader: ReaderState, holdsBytes: Bool) -> Bool {
        stream == .open && reader != .receiving && !holdsBytes
    }

    /// What receiving needs of the watch. `observesEnd` says whether the end of the stream has observers.
    func watchNeed(of reader: ReaderState, holdsBytes: Bool, observesEnd: Bool) -> WatchNeed {
        switch reader {
        case .receiving: return holdsBytes || stream == .endHeld ? .quiet : .read
        case .paused, .none:
            if observesEnd { return peeks(for: reader, holdsBytes: holdsBytes) ? .read : .quiet }
            return reader == .none ? .none : .quiet
        }
    }
}
