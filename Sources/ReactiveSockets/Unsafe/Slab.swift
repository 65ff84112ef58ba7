/// A block of memory that any number of `Bytes` share by reference, one region each.
///
/// Why `@unchecked Sendable` is right: a region is written once, before the `Bytes` that shows it is made, and never again
/// while one exists; the part behind the last region is written by the one thread whose cache holds the slab.
final class Slab: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        base = .allocate(byteCount: max(1, capacity), alignment: 16)
    }

    deinit { base.deallocate() }
}
