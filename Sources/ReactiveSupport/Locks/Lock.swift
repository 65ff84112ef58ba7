import CReactive
import Glibc
public import Synchronization

/// The one lock of the project, around a plain struct. No user code runs while it is held (law 3).
///
/// Why not `Synchronization.Mutex`: it remembers the thread's number across a fork, so that the child's first contention traps.
/// Its futex also inherits priority, which hands the lock to a waiter that is not running: eight threads on two processors then
/// take 27 µs a turn, and 2 µs this way. ThreadSanitizer sees this lock's atomics as they are.
///
/// A lock that another thread holds during a fork stays locked in the child. The loop's entry points therefore look at the fork
/// first (rule F3).
@usableFromInline
package struct Lock<State>: ~Copyable, Sendable {
    /// 0 when free, 1 when held, 2 when held and waited for.
    @usableFromInline
    let word = Atomic<UInt32>(0)
    @usableFromInline
    let cell: LockedCell<State>

    private static var yields: Int { 100 }

    @inlinable
    package init(_ initial: consuming sending State) {
        cell = LockedCell(initial)
    }

    @inlinable
    @inline(__always)
    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        if !take() { wait() }
        defer { if word.exchange(0, ordering: .releasing) != 1 { wakeOne() } }
        // Not in one expression: ThreadSanitizer would take that for an access to the whole lock, its word included.
        let state = unsafe cell.address
        // Safe: the lock is held, and `body` does not let the state escape.
        return try unsafe body(&state.pointee)
    }

    @inlinable
    @inline(__always)
    borrowing func take() -> Bool {
        word.compareExchange(
            expected: 0,
            desired: 1,
            successOrdering: .acquiring,
            failureOrdering: .relaxed
        ).exchanged
    }

    /// Yields before it waits in the kernel: the lock is held for a few instructions.
    @usableFromInline
    @inline(never)
    borrowing func wait() {
        for _ in 0..<Self.yields {
            sched_yield()
            if take() { return }
        }
        // It may not be the only one that waits, so it leaves the lock marked.
        while word.exchange(2, ordering: .acquiring) != 0 { unsafe reactive_lock_wait(address, 2) }
    }

    @usableFromInline
    @inline(never)
    borrowing func wakeOne() { unsafe reactive_lock_wake(address) }

    /// The word's own, which stays the same for the lock's life, as an atomic's does.
    fileprivate var address: UnsafeRawPointer {
        unsafe withUnsafePointer(to: word) { unsafe UnsafeRawPointer($0) }
    }
}

/// A lock for the whole program, which a forked child finds free: a fork waits for it, and holds it while the process is copied (rule F2).
///
/// For static properties that a loop or a signal of the child's own needs. No two of them may be held at a time.
package final class ProgramLock<State>: Sendable {
    private let lock: Lock<State>

    package init(_ initial: consuming sending State) {
        lock = Lock(initial)
        // Safe: program locks are never released.
        unsafe reactive_hold_across_forks(lock.address)
    }

    package func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try lock.withLock(body)
    }
}

/// The memory of a lock's state, inside of the lock.
///
/// `@_rawLayout` is what `Mutex` and `Atomic` themselves are made of: memory whose address stays the same, and that a borrower
/// may change. Why `@unchecked Sendable` is right: only the holder of the lock uses the address.
@_rawLayout(like: State, movesAsLike)
@frozen
@usableFromInline
struct LockedCell<State>: ~Copyable, @unchecked Sendable {
    @inlinable
    @inline(__always)
    init(_ initial: consuming State) { unsafe address.initialize(to: initial) }

    @inlinable
    @inline(__always)
    deinit { unsafe address.deinitialize(count: 1) }

    @inlinable
    @inline(__always)
    var address: UnsafeMutablePointer<State> {
        unsafe withUnsafePointer(to: self) { cell in
            unsafe UnsafeMutablePointer(mutating: UnsafeRawPointer(cell).assumingMemoryBound(to: State.self))
        }
    }
}
