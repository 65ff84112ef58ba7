// SPDX-License-Identifier: MIT
import CReactive
import Glibc
public import Synchronization

/// The project's only lock. It protects a plain struct. No user code runs while a thread holds it (law 3,
/// Docs/Laws.md).
///
/// It replaces `Synchronization.Mutex`, which stores the thread's number. After a fork the number is wrong, so the
/// first contention in the child traps. The mutex's futex also inherits priority: it passes the lock to a waiter that
/// is not running, so contention is slow. ThreadSanitizer understands the atomics of this lock.
///
/// If another thread holds a lock during a fork, the lock stays held in the child. The loop's entry points therefore
/// check for a fork first (rule F3).
@usableFromInline
package struct Lock<State>: ~Copyable, Sendable {
    /// 0 means free, 1 means held, 2 means held while a thread may be waiting.
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
        #if Simulation
            YieldPoint.pass()
            defer { YieldPoint.pass() }
        #endif
        return try withLockAtOnce(body)
    }

    /// Like ``withLock(_:)``, without yield points. The simulation's own state uses it.
    @inlinable
    @inline(__always)
    package borrowing func withLockAtOnce<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        if !take() { wait() }
        defer { if word.exchange(0, ordering: .releasing) != 1 { wakeOne() } }
        // A separate statement, because ThreadSanitizer would take one expression for an access to the whole lock and
        // its word.
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

    /// Yields before it waits in the kernel, because a lock is held for only a few instructions.
    @usableFromInline
    @inline(never)
    borrowing func wait() {
        if YieldPoint.isScheduled {
            while !take() { YieldPoint.spin() }
            return
        }
        for _ in 0..<Self.yields {
            sched_yield()
            if take() { return }
        }
        // Other threads may be waiting too, so the word stays 2.
        while word.exchange(2, ordering: .acquiring) != 0 { unsafe reactive_lock_wait(address, 2) }
    }

    @usableFromInline
    @inline(never)
    borrowing func wakeOne() { unsafe reactive_lock_wake(address) }

    /// The word's address. Like that of any atomic, it does not change during the lock's life.
    fileprivate var address: UnsafeRawPointer {
        unsafe withUnsafePointer(to: word) { unsafe UnsafeRawPointer($0) }
    }
}

/// A lock for the whole program that is free in a forked child. A fork acquires the lock before the process is copied,
/// and releases it afterwards (rule F2).
///
/// It protects static properties that a loop or a process signal of the child needs. Never hold two such locks at a
/// time.
package final class ProgramLock<State>: Sendable {
    private let lock: Lock<State>

    package init(_ initial: consuming sending State) {
        lock = Lock(initial)
        // Safe: a program lock is never deallocated.
        unsafe reactive_hold_across_forks(lock.address)
    }

    package func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if Simulation
            // Threads outside of the simulation share this lock. The locked section has no yield points, so these
            // threads cannot affect the simulation.
            YieldPoint.pass()
            let process = unsafe reactive_simulated_get()
            reactive_simulated_set(nil)
            defer {
                unsafe reactive_simulated_set(process)
                YieldPoint.pass()
            }
        #endif
        return try lock.withLock(body)
    }
}

/// The memory of a lock's state, inside the lock.
///
/// `@_rawLayout`, on which `Mutex` and `Atomic` are based, provides memory with a fixed address, which a borrower may
/// change. `@unchecked Sendable` is safe: only the holder of the lock uses the address.
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
