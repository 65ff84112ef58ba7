/// The beginning of a frame that lies in several chunks: copied into one run of memory that grows.
///
/// It hands out `Bytes` of what it has, and goes on behind them; that is a slab's own rule.
///
/// Safe: each copy is as long as what is copied, and goes into a slab that has room for it.
struct PartialFrame {
    private var slab: Slab?
    private(set) var count = 0
    private static let least = 64

    /// What it has; good as long as one likes.
    var bytes: Bytes {
        guard let slab else { return Bytes() }
        return Bytes(slab, origin: 0, count: count)
    }

    /// Copies a part of `chunk` behind what it has. The memory doubles, and does not get larger than `ceiling` without need.
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

    /// Lets go of all of it.
    mutating func clear() {
        slab = nil
        count = 0
    }
}
