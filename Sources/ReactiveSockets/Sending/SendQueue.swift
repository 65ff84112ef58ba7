// SPDX-License-Identifier: MIT
import ReactiveSupport

/// A queue of waiting buffers, oldest first. The oldest buffer contains only the part that has not been sent.
struct SendQueue {
    private var first: Bytes?
    private var rest = FIFO<Bytes>()

    mutating func append(_ bytes: Bytes) {
        if first == nil { first = bytes } else { rest.append(bytes) }
    }

    var isEmpty: Bool { first == nil }

    /// Whether there is at most one buffer.
    var isOnePiece: Bool { rest.isEmpty }

    /// The oldest buffer, or nil.
    var oldest: Bytes? { first }

    /// The oldest buffers, at most `limit`.
    func pieces(_ limit: Int) -> [Bytes] {
        guard let first else { return [] }
        var pieces = [first]
        pieces.append(contentsOf: rest.prefix(limit - 1))
        return pieces
    }

    /// Removes the first `sent` bytes.
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

    /// Copies small buffers, so that they do not retain large slabs while a slow peer delays them. Call it when the
    /// send buffer is full.
    mutating func compact() {
        first = first?.compacted()
        rest.mapInPlace { bytes in bytes.compacted() }
    }
}
