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
    package func park() {
        if let threads = SimulatedProcess.current?.threads {
            repeat { threads.wait(nanoseconds: nil) { self.isUnparked } } while !takeUnpark()
            return
        }
        unsafe pthread_mutex_lock(mutex)
        while !isFree { unsafe pthread_cond_wait(condition, mutex) }
        isFree = false
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Blocks until ``unpark()``, for at most `nanoseconds`. Returns false if the time has passed without a call of
    /// ``unpark()``.
    package func park(nanoseconds: Int64) -> Bool {
        if let threads = SimulatedProcess.current?.threads {
            threads.wait(nanoseconds: max(0, nanoseconds)) { self.isUnparked }
            return takeUnpark()
        }
        let (deadline, overflow) = reactive_monotonic_ns().addingReportingOverflow(max(0, nanoseconds))
        if overflow {
            park()
            return true
        }
        var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        unsafe pthread_mutex_lock(mutex)
        while !isFree, unsafe pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT {}
        let wasFreed = isFree
        isFree = false
        unsafe pthread_mutex_unlock(mutex)
        return wasFreed
    }

    private var isUnparked: Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return isFree
    }

    private func takeUnpark() -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer {
            isFree = false
            unsafe pthread_mutex_unlock(mutex)
        }
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
