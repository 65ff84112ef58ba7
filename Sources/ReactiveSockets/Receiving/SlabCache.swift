import CReactive

/// The slab that the loops of this thread read into: one for all their connections, so that an idle one owns no buffer.
///
/// A chunk that nobody keeps leaves the slab free for the next read; where it has been filled the next slab is longer,
/// since that is a stream. While somebody keeps a chunk, reads go on behind it, and a new slab is made when the rest is too short.
final class SlabCache {
    static let slabSize = 64 * 1024
    /// Reads of this much take four fifths of the time, for each byte, that reads of half as much do; of twice as much no less.
    static let longestSlab = 128 * 1024
    /// A read into a shorter rest than this would only make small chunks.
    private static let shortestRest = 8 * 1024

    private var slab = Slab(capacity: slabSize)
    private var used = 0
    private var isLent = false

    /// Calls `body` with the thread's cache; a read inside a read gets one of its own.
    ///
    /// Safe: the thread's slot owns one count of the cache, from its first use to the thread's end. `own` is held during the call.
    static func withCurrent<Result>(_ body: (SlabCache) -> Result) -> Result {
        var taken = unsafe Unmanaged<SlabCache>.fromOpaque(reactive_slab_get() ?? makeCurrent())
        // Chosen without a second call of `body`, which would be there twice where it is compiled into its caller.
        let own = unsafe taken._withUnsafeGuaranteedRef { cache in cache.isLent } ? make() : nil
        if let own { unsafe taken = .passUnretained(own) }
        defer { withExtendedLifetime(own) {} }
        return unsafe taken._withUnsafeGuaranteedRef { cache in
            cache.isLent = true
            defer { cache.isLent = false }
            return body(cache)
        }
    }

    /// Reads through `read` into free memory, at most `limit` bytes, and returns what came, or `read`'s own result <= 0.
    ///
    /// There is room for `needed` bytes, at most ``slabSize``: what does not fit of a datagram would be lost. `read` must not return
    /// more than the room that it gets.
    @inline(__always)
    func read(
        atMost limit: Int,
        atLeast needed: Int = 1,
        _ read: (UnsafeMutableRawBufferPointer) -> Int
    ) -> (result: Int, bytes: Bytes?) {
        if isFree {
            if used == slab.capacity, used < Self.longestSlab { slab = Slab(capacity: Self.longestSlab) }
            used = 0
        } else if slab.capacity - used < max(needed, Self.shortestRest) {
            slab = Slab(capacity: Self.slabSize)
            used = 0
        }
        let room = min(limit, slab.capacity - used)
        let result = unsafe read(UnsafeMutableRawBufferPointer(start: slab.base + used, count: room))
        guard result > 0 else { return (result, nil) }
        let bytes = Bytes(slab, origin: used, count: result)
        used += result
        return (result, bytes)
    }

    /// Whether nobody keeps a chunk of the slab now.
    var isFree: Bool { isKnownUniquelyReferenced(&slab) }

    @inline(never)
    private static func make() -> SlabCache { SlabCache() }

    @inline(never)
    private static func makeCurrent() -> UnsafeMutableRawPointer {
        let pointer = unsafe Unmanaged.passRetained(SlabCache()).toOpaque()
        unsafe reactive_slab_set(pointer) { pointer in
            if let pointer = unsafe pointer { unsafe Unmanaged<SlabCache>.fromOpaque(pointer).release() }
        }
        return unsafe pointer
    }
}
