import CReactive
import Glibc

/// Where one thread waits until another lets it go on, or until a time is over.
///
/// Being let go on before waiting counts: the next wait returns at once. Why `@unchecked Sendable` is right: `isFree` is read
/// and written under the mutex alone.
///
/// Safe: the mutex and the condition keep their addresses, as POSIX requires. `deinit` frees them when no thread can wait any more.
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

    /// Waits until ``unpark()``. One thread at a time.
    package func park() {
        unsafe pthread_mutex_lock(mutex)
        while !isFree { unsafe pthread_cond_wait(condition, mutex) }
        isFree = false
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Waits until ``unpark()``, but no longer than `nanoseconds`; false where nobody has called it by then.
    package func park(nanoseconds: Int64) -> Bool {
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

    /// Lets the thread that waits go on, or the next one that would. Any thread.
    package func unpark() {
        unsafe pthread_mutex_lock(mutex)
        isFree = true
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }
}
