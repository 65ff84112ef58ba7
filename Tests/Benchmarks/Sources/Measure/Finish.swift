// SPDX-License-Identifier: MIT
internal import Glibc

/// A semaphore with which one thread waits for another.
///
/// Why `@unchecked Sendable` is correct: semaphores are thread-safe, and the address never changes.
public final class Finish: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    /// Creates a semaphore that is not signalled.
    public init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Wakes the thread that waits, now or later.
    public func signal() { sem_post(semaphore) }

    /// Waits for a signal.
    public func wait() { while sem_wait(semaphore) != 0 {} }
}

/// A counter that the work of one loop increments.
///
/// Why `@unchecked Sendable` is correct: one loop uses it, and readers have waited for the loop's signal.
public final class Counter: @unchecked Sendable {
    /// The count.
    @exclusivity(unchecked)
    public var value = 0

    /// Creates a counter at zero.
    public init() {}

    /// Increments the count and returns it. From another module Swift would check each use of ``value`` at run time.
    @inline(never)
    public func add() -> Int {
        value += 1
        return value
    }
}

/// A variable that one loop at a time uses.
///
/// Why `@unchecked Sendable` is correct: as for ``Counter``.
public final class Box<Value>: @unchecked Sendable {
    /// The stored value.
    @exclusivity(unchecked)
    public var value: Value

    /// Stores the value.
    public init(_ value: Value) { self.value = value }
}
