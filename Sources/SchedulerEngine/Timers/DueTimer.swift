// SPDX-License-Identifier: MIT
import ReactiveSupport

/// A timer that has been removed from the queue, with the one reference that the queue had.
///
/// It cannot be copied. So a repeating timer leaves the queue, fires and returns to the queue without a retain or a
/// release.
///
/// Safe: this value owns one count until it hands it on. Otherwise `deinit` releases it.
@safe
struct DueTimer: ~Copyable {
    private let reference: Unmanaged<TimerEntry>
    let sequence: UInt64

    init(_ reference: Unmanaged<TimerEntry>, sequence: UInt64) {
        unsafe self.reference = reference
        self.sequence = sequence
    }

    deinit { unsafe reference.release() }

    /// Calls `body` with the timer, without retaining it: this value holds it.
    @inline(__always)
    borrowing func look<Result>(_ body: (TimerEntry) -> Result) -> Result {
        unsafe reference._withUnsafeGuaranteedRef { timer in body(timer) }
    }

    /// Calls `body` with a repeating timer, without retaining it. Safe: the caller has checked that the timer repeats.
    @inline(__always)
    borrowing func lookAtRepeating<Result>(_ body: (RepeatingTimerEntry) -> Result) -> Result {
        look { timer in unsafe body(unsafeDowncast(timer, to: RepeatingTimerEntry.self)) }
    }

    /// Hands the timer to the caller.
    @inline(__always)
    consuming func take() -> TimerEntry { unsafe takeReference().takeRetainedValue() }

    /// Hands the reference and its count to the caller.
    @inline(__always)
    consuming func takeReference() -> Unmanaged<TimerEntry> {
        let reference = unsafe reference
        discard self
        return unsafe reference
    }
}
