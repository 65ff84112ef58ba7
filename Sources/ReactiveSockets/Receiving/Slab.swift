// SPDX-License-Identifier: MIT
import CReactive
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

    /// Shorter slabs are not counted one by one: the estimate for their connection includes them.
    private static let shortestCounted = 16 * 1024

    init(capacity: Int) {
        self.capacity = capacity
        // Not `allocate`, which calls the slower `posix_memalign` on Linux.
        guard let memory = unsafe malloc(max(1, capacity)) else {
            fatalError("cannot allocate a buffer of \(capacity) bytes: out of memory")
        }
        unsafe base = memory
        if capacity >= Self.shortestCounted { reactive_memory_taken(capacity) }
    }

    deinit {
        unsafe free(base)
        if capacity >= Self.shortestCounted { reactive_memory_freed(capacity) }
    }
}
