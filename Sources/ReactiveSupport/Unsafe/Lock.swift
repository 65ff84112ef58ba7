import CReactive
import Glibc
public import Synchronization

/// The one lock of the project: a `Mutex` around a plain struct. No user code runs while it is held (law 3).
///
/// ThreadSanitizer cannot see into `Mutex`, whose futex lives in a library that is not instrumented, and would report races
/// that are none. Built with `-DTSAN` (as `make tsan` does) the lock tells it about every acquire and release, by an
/// address that stays the same for the lock's life. That byte is the only unsafe thing here; it is owned by this value and
/// freed with it.
@usableFromInline
package struct Lock<State>: ~Copyable, Sendable {
    @usableFromInline
    package let mutex: Mutex<State>
    private static var yields: Int { 100 }
    #if TSAN
        private nonisolated(unsafe) let address = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
    #endif

    #if TSAN
        @usableFromInline
        package init(_ initial: consuming sending State) {
            mutex = Mutex(initial)
        }
    #else
        @inlinable
        package init(_ initial: consuming sending State) {
            mutex = Mutex(initial)
        }
    #endif

    #if TSAN
        deinit { address.deallocate() }

        @usableFromInline
        borrowing func didLock() { reactive_tsan_acquire(address) }

        @usableFromInline
        borrowing func willUnlock() { reactive_tsan_release(address) }
    #endif

    @inlinable
    @inline(__always)
    package borrowing func withLock<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        if let result = try attempt(body) { return result }
        return try contended(body)
    }

    /// Yields before it waits in the kernel: `Mutex` is a priority-inheriting futex there, which gives the lock to the first
    /// waiter whether that one is running or not. Eight threads on two processors then take 27 µs a turn, each a switch;
    /// this way it is two, without optimization.
    @usableFromInline
    @inline(never)
    borrowing func contended<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        for _ in 0..<Self.yields {
            sched_yield()
            if let result = try attempt(body) { return result }
        }
        return try mutex.withLock { (state) throws(Failure) -> sending Result in
            #if TSAN
                didLock()
                defer { willUnlock() }
            #endif
            return try body(&state)
        }
    }

    // ThreadSanitizer is told before the closure touches the state: passing it on is an access already.
    @inlinable
    @inline(__always)
    borrowing func attempt<Result, Failure: Error>(
        _ body: (inout sending State) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        try mutex.withLockIfAvailable { (state) throws(Failure) -> sending Result in
            #if TSAN
                didLock()
                defer { willUnlock() }
            #endif
            return try body(&state)
        }
    }
}
