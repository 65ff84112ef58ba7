// SPDX-License-Identifier: MIT
import ReactiveSupport

/// A queue of buffers, oldest first. One buffer needs no allocation.
struct BytesQueue: Sendable {
    private var first: Bytes?
    private var rest = FIFO<Bytes>()

    mutating func append(_ bytes: Bytes) {
        if first == nil { first = bytes } else { rest.append(bytes) }
    }

    mutating func append(contentsOf other: consuming BytesQueue) {
        if isEmpty { return self = other }
        while let bytes = other.popFirst() { append(bytes) }
    }

    /// Removes and returns all buffers.
    mutating func take() -> BytesQueue {
        var taken = BytesQueue()
        swap(&taken, &self)
        return taken
    }

    var isEmpty: Bool { first == nil }

    /// Whether there is at most one buffer.
    var isOneBuffer: Bool { rest.isEmpty }

    /// The oldest buffer, or nil.
    var oldest: Bytes? { first }

    /// The oldest buffers, at most `limit`.
    func buffers(_ limit: Int) -> [Bytes] {
        guard let first else { return [] }
        if rest.isEmpty { return [first] }
        var buffers = [first]
        buffers.append(contentsOf: rest.prefix(limit - 1))
        return buffers
    }

    /// The number of bytes.
    var byteCount: Int {
        rest.isEmpty ? first?.count ?? 0 : buffers(.max).reduce(0) { sum, bytes in sum + bytes.count }
    }

    /// Removes and returns the oldest buffer. An empty queue owns no memory.
    mutating func popFirst() -> Bytes? {
        guard let oldest = first.take() else { return nil }
        first = rest.popFirst()
        if first == nil { rest = FIFO() }
        return oldest
    }

    /// Removes the first `sent` bytes. A buffer that has been sent in part contains only the rest.
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
