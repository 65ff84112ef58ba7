// SPDX-License-Identifier: MIT
import ReactiveSupport

/// A timer that has been removed from the queue. This value owns the reference that the queue had.
///
/// The value cannot be copied. So a repeating timer is removed from the queue, fires and is inserted again without a
/// retain or a release.
///
/// Safe: this value owns one reference count until `take` or `takeReference` passes it on. Otherwise `deinit` releases
/// it.
@safe
struct DueTimer: ~Copyable {
    private let reference: Unmanaged<TimerEntry>
    let sequence: UInt64

    init(_ reference: Unmanaged<TimerEntry>, sequence: UInt64) {
        unsafe self.reference = reference
        self.sequence = sequence
    }

    deinit { unsafe reference.release() }

    /// Calls `body` with the timer, without a further retain.
    @inline(__always)
    borrowing func look<Result>(_ body: (TimerEntry) -> Result) -> Result {
        unsafe reference._withUnsafeGuaranteedRef { timer in body(timer) }
    }

    /// Calls `body` with the timer as a repeating one, without a further retain. Safe: the caller has checked that the
    /// timer repeats.
    @inline(__always)
    borrowing func lookAtRepeating<Result>(_ body: (RepeatingTimerEntry) -> Result) -> Result {
        look { timer in unsafe body(unsafeDowncast(timer, to: RepeatingTimerEntry.self)) }
    }

    /// Returns the timer, retained.
    @inline(__always)
    consuming func take() -> TimerEntry { unsafe takeReference().takeRetainedValue() }

    /// Returns the reference. The caller then owns its count.
    @inline(__always)
    consuming func takeReference() -> Unmanaged<TimerEntry> {
        let reference = unsafe reference
        discard self
        return unsafe reference
    }
}
