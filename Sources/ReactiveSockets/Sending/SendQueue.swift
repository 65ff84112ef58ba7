import ReactiveSupport

/// What waits to be sent, oldest first; of the oldest a part may have gone.
struct SendQueue {
    private var first: Bytes?
    private var rest = FIFO<Bytes>()

    mutating func append(_ bytes: Bytes) {
        if first == nil { first = bytes } else { rest.append(bytes) }
    }

    var isEmpty: Bool { first == nil }

    /// Whether one call with one piece sends all of it.
    var isOnePiece: Bool { rest.isEmpty }

    /// The oldest piece.
    var oldest: Bytes? { first }

    /// At most `limit` pieces, oldest first.
    func pieces(_ limit: Int) -> [Bytes] {
        guard let first else { return [] }
        var pieces = [first]
        pieces.append(contentsOf: rest.prefix(limit - 1))
        return pieces
    }

    /// Takes out what has gone.
    mutating func drop(_ sent: Int) {
        var sent = sent
        while let bytes = first {
            if sent < bytes.count {
                if sent > 0 { first = bytes[bytes.startIndex + sent..<bytes.endIndex] }
                return
            }
            sent -= bytes.count
            first = rest.popFirst()
        }
    }

    /// A few bytes must not keep a large slab for a slow peer. To be called when what is here has to wait.
    mutating func compact() {
        first = first?.compacted()
        rest.mapInPlace { bytes in bytes.compacted() }
    }
}
