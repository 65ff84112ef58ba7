// SPDX-License-Identifier: MIT
import CReactive
import Glibc

/// Blocks one thread until another thread unparks it, or until a time limit.
///
/// If a thread unparks before the park, the next park returns immediately. `@unchecked Sendable` is safe: `isFree` is
/// accessed only under the mutex.
///
/// Safe: the mutex and the condition keep their addresses, as POSIX requires. `deinit` frees them when no thread can
/// wait for them.
@safe
package final class ParkingSpot: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isFree = false

    package init() {
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Blocks until ``unpark()``. One thread at a time may call it.
    package func park() { while !wait(nanoseconds: nil) {} }

    /// Blocks until ``unpark()``, for at most `nanoseconds`. Returns false if the time has passed without a call of
    /// ``unpark()``.
    package func park(nanoseconds: Int64) -> Bool { wait(nanoseconds: max(0, nanoseconds)) }

    /// Waits without a limit if `nanoseconds` is nil, or if the clock never reaches the deadline.
    private func wait(nanoseconds: Int64?) -> Bool {
        let threads = SimulatedProcess.current?.threads
        threads?.wait(nanoseconds: nanoseconds) { self.isUnparked }
        let end = nanoseconds.map { reactive_monotonic_ns().addingReportingOverflow($0) }
        unsafe pthread_mutex_lock(mutex)
        defer {
            isFree = false
            unsafe pthread_mutex_unlock(mutex)
        }
        if threads != nil { return isFree }
        if let (deadline, overflow) = end, !overflow {
            var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
            while !isFree, unsafe pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT {}
        } else {
            while !isFree { unsafe pthread_cond_wait(condition, mutex) }
        }
        return isFree
    }

    private var isUnparked: Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return isFree
    }

    /// Unblocks the parked thread, or the next thread that parks. Any thread may call it.
    package func unpark() {
        unsafe pthread_mutex_lock(mutex)
        isFree = true
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }
}
