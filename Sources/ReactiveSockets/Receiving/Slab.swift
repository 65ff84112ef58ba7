import Glibc

/// A block of memory that any number of `Bytes` share by reference, one region each.
///
/// Why `@unchecked Sendable` is right: a region is written once, before the `Bytes` that shows it is made, and never again
/// while one exists; the part behind the last region is written by the one thread whose cache holds the slab.
final class Slab: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        // Not `allocate`: on Linux that is `posix_memalign`, which takes twice as long for a short run.
        guard let memory = malloc(max(1, capacity)) else {
            fatalError("out of memory: \(capacity) bytes were asked for")
        }
        base = memory
    }

    deinit { free(base) }
}
