internal import Glibc

/// What one thread waits at until another says that it is done.
///
/// Why `@unchecked Sendable` is right: a semaphore is made for several threads, and its address never changes.
public final class Finish: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    /// Creates one that is not signalled.
    public init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Lets the one that waits, or will, go on.
    public func signal() { sem_post(semaphore) }

    /// Waits for a signal.
    public func wait() { while sem_wait(semaphore) != 0 {} }
}

/// A number that work of one loop counts in.
///
/// Why `@unchecked Sendable` is right: one loop touches it, and who reads it afterwards has waited for the loop's signal.
public final class Counter: @unchecked Sendable {
    /// The number.
    @exclusivity(unchecked)
    public var value = 0

    /// Starts at 0.
    public init() {}

    /// Counts one more, and returns how many that makes. In another module Swift checks each use of ``value`` at run time.
    @inline(never)
    public func add() -> Int {
        value += 1
        return value
    }
}

/// A place for something that one loop at a time uses.
///
/// Why `@unchecked Sendable` is right: the same as for ``Counter``.
public final class Box<Value>: @unchecked Sendable {
    /// What is in it.
    @exclusivity(unchecked)
    public var value: Value

    /// Puts it in.
    public init(_ value: Value) { self.value = value }
}
