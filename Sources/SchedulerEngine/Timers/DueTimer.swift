import ReactiveCore
import ReactiveSupport

/// A timer that has been taken out of the queue, and the one reference to it that the queue had.
///
/// It cannot be copied, so that from the queue, through its firing and back into the queue nothing is counted: a retain and a release
/// would be a quarter of a repeating timer's firing.
///
/// Safe: this value owns one count until it hands it on. Otherwise `deinit` gives it back.
@safe
struct DueTimer: ~Copyable {
    private let reference: Unmanaged<TimerEntry>
    let sequence: UInt64

    init(_ reference: Unmanaged<TimerEntry>, sequence: UInt64) {
        unsafe self.reference = reference
        self.sequence = sequence
    }

    deinit { unsafe reference.release() }

    /// Looks at the timer, which is not held for it: this holds it.
    @inline(__always)
    borrowing func look<Result>(_ body: (TimerEntry) -> Result) -> Result {
        unsafe reference._withUnsafeGuaranteedRef { timer in body(timer) }
    }

    /// The same for one that repeats. Safe: the caller has asked the timer whether it does.
    @inline(__always)
    borrowing func lookAtRepeating<Result>(_ body: (RepeatingTimerEntry) -> Result) -> Result {
        look { timer in unsafe body(unsafeDowncast(timer, to: RepeatingTimerEntry.self)) }
    }

    /// Hands the timer on.
    @inline(__always)
    consuming func take() -> TimerEntry { unsafe takeReference().takeRetainedValue() }

    /// Hands its reference on: the caller owns it.
    @inline(__always)
    consuming func takeReference() -> Unmanaged<TimerEntry> {
        let reference = unsafe reference
        discard self
        return unsafe reference
    }
}

extension DeadlineQueue<TimerEntry> {
    /// Takes out the first timer if it is due at `now`.
    @inline(__always)
    func popFirstDue(at now: LoopInstant) -> DueTimer? {
        guard let node = popFirstNode(dueAt: now) else { return nil }
        return unsafe DueTimer(node.takeReference(), sequence: node.sequence)
    }

    /// Adds a timer again.
    @inline(__always)
    func insert(_ timer: consuming DueTimer, sequence: UInt64) {
        unsafe insert(timer.takeReference(), sequence: sequence)
    }
}
