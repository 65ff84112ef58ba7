import Glibc

/// A block of memory that any number of `Bytes` share by reference, one region each.
///
/// Why `@unchecked Sendable` is right: a region is written once, before the `Bytes` that shows it is made, and never again
/// while one exists; the part behind the last region is written by the one thread whose cache holds the slab.
///
/// Safe: the slab owns its memory. Each use of ``base`` stays below ``capacity`` and holds the slab.
@safe
final class Slab: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        // Not `allocate`: on Linux that is `posix_memalign`, which takes twice as long for a short run.
        guard let memory = unsafe malloc(max(1, capacity)) else {
            fatalError("out of memory: \(capacity) bytes were asked for")
        }
        unsafe base = memory
    }

    deinit { unsafe free(base) }
}
