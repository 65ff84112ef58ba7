// SPDX-License-Identifier: MIT
import CReactive

/// The slab that all loops of this thread read into, so that an idle connection needs no buffer (Decision 0008).
///
/// If no chunk is retained, the next read reuses the slab, or replaces it with a longer one if the last reads filled
/// it. While a chunk is retained, reads continue after it. When the rest of the slab is too short, a new slab is
/// allocated.
final class SlabCache {
    static let slabSize = 64 * 1024
    /// The length of the slab that replaces a full one. Longer reads cost less per byte, but reads longer than this
    /// gain nothing.
    static let longestSlab = 128 * 1024
    /// The length of a slab for the output of transformers: the longest read, after encryption.
    private static let outputLength = longestSlab + 8 * 1024
    /// A read into a shorter rest would only make small chunks, so a new slab is allocated instead.
    private static let shortestRest = 8 * 1024

    private let length: Int
    private var slab: Slab
    private var used = 0
    private var isLent = false
    /// The caches for the output of transformers, created on first use. Received, decrypted and encrypted bytes exist at
    /// the same time, so each kind has a slab.
    private var forApplication: SlabCache?
    private var forPeer: SlabCache?

    /// - Parameter length: The length of a new slab.
    init(length: Int = slabSize) {
        self.length = length
        slab = Slab(capacity: length)
    }

    /// Calls `body` with the thread's cache. A nested call gets a new cache.
    ///
    /// Safe: the thread's slot retains the cache from its first use until the thread exits. `own` is retained during
    /// the call.
    static func withCurrent<Result>(_ body: (SlabCache) -> Result) -> Result {
        var taken = unsafe Unmanaged<SlabCache>.fromOpaque(reactive_slab_get() ?? makeCurrent())
        // One call site, so that `body` is inlined once.
        let own = unsafe taken._withUnsafeGuaranteedRef { cache in cache.isLent } ? make() : nil
        if let own { unsafe taken = .passUnretained(own) }
        defer { withExtendedLifetime(own) {} }
        return unsafe taken._withUnsafeGuaranteedRef { cache in
            cache.isLent = true
            defer { cache.isLent = false }
            return body(cache)
        }
    }

    /// The destination of a transformer's output.
    enum Destination { case application, peer }

    /// Returns the thread's cache for the output of transformers.
    static func output(to destination: Destination) -> SlabCache {
        let current = unsafe Unmanaged<SlabCache>.fromOpaque(reactive_slab_get() ?? makeCurrent()).takeUnretainedValue()
        let cache = destination == .peer ? current.forPeer : current.forApplication
        if let cache, !cache.isLent { return cache }
        let made = SlabCache(length: outputLength)
        if destination == .peer { current.forPeer = made } else { current.forApplication = made }
        return made
    }

    /// Calls `fill` with at most `limit` free bytes. `fill` returns the number of bytes that it has written.
    func makeOutput(
        atMost limit: Int,
        atLeast needed: Int,
        _ fill: (UnsafeMutableRawBufferPointer) -> Int
    ) -> Bytes {
        isLent = true
        defer { isLent = false }
        return unsafe read(atMost: limit, atLeast: needed, fill).bytes ?? Bytes()
    }

    /// Reads at most `limit` bytes into free memory.
    ///
    /// - Parameter limit: The maximum number of bytes.
    /// - Parameter needed: The minimum number of free bytes, at most `slabSize`. A datagram needs it, because the part
    ///   that does not fit is lost.
    /// - Parameter read: Fills the memory and returns the number of bytes, which must not exceed the size of the
    ///   memory.
    /// - Returns: The result of `read`, and the bytes if the result is positive.
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
            slab = Slab(capacity: length)
            used = 0
        }
        let room = min(limit, slab.capacity - used)
        let result = unsafe read(UnsafeMutableRawBufferPointer(start: slab.base + used, count: room))
        guard result > 0 else { return (result, nil) }
        let bytes = Bytes(slab, origin: used, count: result)
        used += result
        return (result, bytes)
    }

    /// Gives the thread a new slab. The rest of the old one would limit the next read.
    static func renewCurrent() {
        withCurrent { cache in
            (cache.slab, cache.used) = (Slab(capacity: slabSize), 0)
            (cache.forApplication, cache.forPeer) = (nil, nil)
        }
    }

    /// Whether no chunk of the slab is retained now.
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
