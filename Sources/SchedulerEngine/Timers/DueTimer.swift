import ReactiveCore
import ReactiveSupport

/// A timer that has been taken out of the queue, and the one reference to it that the queue had.
///
/// It cannot be copied, so that from the queue, through its firing and back into the queue nothing is counted: a retain and a release
/// would be a quarter of a repeating timer's firing. Why the unmanaged reference is right: this owns it until it is handed on, and gives
/// it back where it is not.
struct DueTimer: ~Copyable {
    private let reference: Unmanaged<TimerEntry>
    let sequence: UInt64

    init(_ reference: Unmanaged<TimerEntry>, sequence: UInt64) {
        (self.reference, self.sequence) = (reference, sequence)
    }

    deinit { reference.release() }

    /// Looks at the timer, which is not held for it: this holds it.
    @inline(__always)
    borrowing func look<Result>(_ body: (TimerEntry) -> Result) -> Result {
        reference._withUnsafeGuaranteedRef { timer in body(timer) }
    }

    /// The same for one that repeats.
    @inline(__always)
    borrowing func lookAtRepeating<Result>(_ body: (RepeatingTimerEntry) -> Result) -> Result {
        look { timer in body(unsafeDowncast(timer, to: RepeatingTimerEntry.self)) }
    }

    /// Hands the timer on.
    @inline(__always)
    consuming func take() -> TimerEntry { takeReference().takeRetainedValue() }

    /// Hands its reference on: the caller owns it.
    @inline(__always)
    consuming func takeReference() -> Unmanaged<TimerEntry> {
        let reference = reference
        discard self
        return reference
    }
}

extension DeadlineQueue<TimerEntry> {
    /// Takes out the first timer if it is due at `now`.
    @inline(__always)
    func popFirstDue(at now: LoopInstant) -> DueTimer? {
        guard let node = popFirstNode(dueAt: now) else { return nil }
        return DueTimer(node.entry, sequence: node.sequence)
    }

    /// Adds a timer again.
    @inline(__always)
    func insert(_ timer: consuming DueTimer, sequence: UInt64) { insert(timer.takeReference(), sequence: sequence) }
}
