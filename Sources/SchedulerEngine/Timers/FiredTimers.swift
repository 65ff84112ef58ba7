// SPDX-License-Identifier: MIT
/// The repeating timers that have fired in this turn and must be re-armed, with their sequence numbers. The memory is
/// reused, so firing a timer allocates nothing.
///
/// Safe: the timers from `next` up to `count` are initialized and owned. `append` stores one reference count of each
/// timer, and `drain` passes it on.
@safe
final class FiredTimers {
    private typealias Fired = (timer: Unmanaged<TimerEntry>, sequence: UInt64)

    private var memory = UnsafeMutablePointer<Fired>.allocate(capacity: 16)
    private var capacity = 16
    private var count = 0
    /// The index of the first timer that `drain` has not passed on yet. Releasing an earlier timer may run a `deinit`
    /// that reads `pendingCount`.
    private var next = 0

    deinit {
        for index in next..<count { unsafe memory[index].timer.release() }
        unsafe memory.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    /// The number of timers in this list that are not disposed.
    var pendingCount: Int {
        (next..<count).count { index in
            unsafe memory[index].timer._withUnsafeGuaranteedRef { timer in !timer.isDisposed }
        }
    }

    @inline(__always)
    func append(_ timer: consuming DueTimer, sequence: UInt64) {
        if count == capacity { resize(to: capacity * 2) }
        unsafe (memory + count).initialize(to: (timer.takeReference(), sequence))
        count &+= 1
    }

    /// Passes each timer to `body`, in the order in which the timers fired, and empties the list. `body` must not
    /// append.
    @inline(__always)
    func drain(_ body: (consuming DueTimer) -> Void) {
        while next < count {
            let (timer, sequence) = unsafe memory[next]
            next &+= 1
            unsafe body(DueTimer(timer, sequence: sequence))
        }
        let most = count
        (next, count) = (0, 0)
        // Frees memory after a burst.
        if capacity > 1024, most * 8 < capacity { resize(to: capacity / 2) }
    }

    @inline(never)
    private func resize(to newCapacity: Int) {
        let other = UnsafeMutablePointer<Fired>.allocate(capacity: newCapacity)
        unsafe other.moveInitialize(from: memory, count: count)
        unsafe memory.deallocate()
        unsafe memory = other
        capacity = newCapacity
    }
}
