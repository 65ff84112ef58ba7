// SPDX-License-Identifier: MIT
/// The beginning of a frame that spans several chunks, copied into contiguous, growing memory.
///
/// The `Bytes` that it returns stay valid, because later appends only write after them (see ``Slab``).
///
/// Safe: each copy goes into a slab that has room for it.
struct PartialFrame {
    private var slab: Slab?
    private(set) var count = 0
    private static let least = 64

    /// The bytes so far. They remain valid after later appends.
    var bytes: Bytes {
        guard let slab else { return Bytes() }
        return Bytes(slab, origin: 0, count: count)
    }

    /// Appends a range of `chunk`. The memory grows by doubling, but exceeds `ceiling` only if the range needs it.
    mutating func append(_ chunk: Bytes, _ offsets: Range<Int>, ceiling: Int) {
        if offsets.isEmpty { return }
        let needed = count + offsets.count
        let target: Slab
        if let slab, slab.capacity >= needed {
            target = slab
        } else {
            target = Slab(capacity: max(needed, min(max(Self.least, needed * 2), ceiling)))
            if let slab { unsafe target.base.copyMemory(from: slab.base, byteCount: count) }
            slab = target
        }
        unsafe chunk.withUnsafeBytes { memory in
            guard let base = memory.baseAddress else { return }
            unsafe (target.base + count).copyMemory(from: base + offsets.lowerBound, byteCount: offsets.count)
        }
        count = needed
    }

    /// Releases all bytes.
    mutating func clear() {
        slab = nil
        count = 0
    }
}
