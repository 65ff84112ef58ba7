// SPDX-License-Identifier: MIT
import Glibc

/// A block of memory that any number of `Bytes` share by reference. Each `Bytes` has a region of it.
///
/// Safe to share between threads: a region is written once, before its `Bytes` is created, and never again while that
/// `Bytes` exists. Only the thread whose cache has the slab writes after the last region.
///
/// Safe: the slab owns its memory. Each use of `base` stays below `capacity` and retains the slab.
@safe
final class Slab: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        // Not `allocate`, which calls the slower `posix_memalign` on Linux.
        guard let memory = unsafe malloc(max(1, capacity)) else {
            fatalError("cannot allocate a buffer of \(capacity) bytes: out of memory")
        }
        unsafe base = memory
    }

    deinit { unsafe free(base) }
}
