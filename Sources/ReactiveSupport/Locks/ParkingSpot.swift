import CReactive
import Glibc

/// Where one thread waits until another lets it go on, or until a time is over.
///
/// Being let go on before waiting counts: the next wait returns at once. Why `@unchecked Sendable` is right: `isFree` is read
/// and written under the mutex alone. The two system structures have addresses that stay the same, as the system wants, and
/// are freed with this, when nobody can wait any more.
package final class ParkingSpot: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isFree = false

    package init() {
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Waits until ``unpark()``. One thread at a time.
    package func park() {
        pthread_mutex_lock(mutex)
        while !isFree { pthread_cond_wait(condition, mutex) }
        isFree = false
        pthread_mutex_unlock(mutex)
    }

    /// Waits until ``unpark()``, but no longer than `nanoseconds`; false where nobody has called it by then.
    package func park(nanoseconds: Int64) -> Bool {
        let (deadline, overflow) = reactive_monotonic_ns().addingReportingOverflow(max(0, nanoseconds))
        if overflow {
            park()
            return true
        }
        var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        pthread_mutex_lock(mutex)
        while !isFree, pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT {}
        let wasFreed = isFree
        isFree = false
        pthread_mutex_unlock(mutex)
        return wasFreed
    }

    /// Lets the thread that waits go on, or the next one that would. Any thread.
    package func unpark() {
        pthread_mutex_lock(mutex)
        isFree = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }
}
