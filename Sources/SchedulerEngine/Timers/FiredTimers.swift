/// The repeating timers that have fired in a turn and are not set anew yet, with their places among timers of the same deadline.
///
/// Memory that is kept, so that a firing costs no allocation.
///
/// Safe: the timers from `next` up to `count` are initialized and owned. `append` takes one count of each, and `drain` hands it on.
@safe
final class FiredTimers {
    private typealias Fired = (timer: Unmanaged<TimerEntry>, sequence: UInt64)

    private var memory = UnsafeMutablePointer<Fired>.allocate(capacity: 16)
    private var capacity = 16
    private var count = 0
    /// The first that is not handed on yet. What is handed on may go, and what it holds may ask for the rest.
    private var next = 0

    deinit {
        for index in next..<count { unsafe memory[index].timer.release() }
        unsafe memory.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    /// How many of them nobody has disposed since.
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

    /// Hands all of them on, in the order in which they have fired, and is empty after that. Nothing may be appended meanwhile.
    @inline(__always)
    func drain(_ body: (consuming DueTimer) -> Void) {
        while next < count {
            let (timer, sequence) = unsafe memory[next]
            next &+= 1
            unsafe body(DueTimer(timer, sequence: sequence))
        }
        let most = count
        (next, count) = (0, 0)
        // A burst must not keep its memory for good.
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
