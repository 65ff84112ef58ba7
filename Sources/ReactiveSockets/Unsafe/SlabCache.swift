import CReactive

/// The slab that the loops of this thread read into: one for all their connections, so that an idle one owns no buffer.
///
/// A chunk that nobody keeps leaves the slab free for the next read. While somebody keeps one, reads go on behind it, and a
/// new slab is made when the rest is too short.
struct SlabCache {
    static let slabSize = 64 * 1024
    /// A read into a shorter rest than this would only make small chunks.
    private static let shortestRest = 8 * 1024

    private var slab: Slab
    private var used: Int

    /// Takes the thread's slab out of its place: a read inside a read gets another one.
    static func take() -> SlabCache {
        guard let pointer = reactive_slab_get() else { return SlabCache(slab: Slab(capacity: slabSize), used: 0) }
        reactive_slab_set(nil, Self.release)
        let place = Unmanaged<Place>.fromOpaque(pointer).takeRetainedValue()
        return SlabCache(slab: place.slab, used: place.used)
    }

    /// Puts it back for the next read on this thread.
    consuming func giveBack() {
        let place = Unmanaged.passRetained(Place(slab, used)).toOpaque()
        if let other = reactive_slab_get() { Self.release(other) }
        reactive_slab_set(place, Self.release)
    }

    /// Reads through `read` into free memory, at most `limit` bytes, and returns what came, or `read`'s own result <= 0.
    mutating func read(
        atMost limit: Int,
        _ read: (UnsafeMutableRawBufferPointer) -> Int
    ) -> (result: Int, bytes: Bytes?) {
        if isKnownUniquelyReferenced(&slab) {
            used = 0
        } else if slab.capacity - used < Self.shortestRest {
            slab = Slab(capacity: Self.slabSize)
            used = 0
        }
        let room = min(limit, slab.capacity - used)
        let result = read(UnsafeMutableRawBufferPointer(start: slab.base + used, count: room))
        guard result > 0 else { return (result, nil) }
        let bytes = Bytes(slab, origin: used, count: result)
        used += result
        return (result, bytes)
    }

    /// Whether nobody keeps a chunk of the slab now.
    mutating func isFree() -> Bool { isKnownUniquelyReferenced(&slab) }

    /// What the thread's slot holds.
    private final class Place {
        let slab: Slab
        let used: Int

        init(_ slab: Slab, _ used: Int) {
            self.slab = slab
            self.used = used
        }
    }

    // The slot owns one count of its place, which `take` takes over; at the thread's end it goes with the slot.
    private static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
        if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
    }
}
