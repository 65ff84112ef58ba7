// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

/// One timer: its deadline and its work.
///
/// A loop may have a million timers, so an entry fits into an allocation of 64 bytes. ``LenientTimerEntry`` and
/// ``RepeatingTimerEntry`` have the fields that few timers need.
///
/// | Field | Changed by |
/// |---|---|
/// | `state` | Any thread, in `willPost`, `receive`, `takeWork`, `dispose` and `end` |
/// | `work` | The thread whose exchange set `state` to `ended` |
/// | `deadline` | The loop, when it re-arms a repeating timer, which is in no queue then |
/// | `isQueued` | `DeadlineQueue` |
/// | `isCounted` | `LoopState.recount` |
/// | `wantsLoopAlive` | The setter of `keepsLoopAlive` |
/// | `isRepeating`, `isLenient` | Nothing: constants, which avoid calls of overridden methods |
///
/// Why `@unchecked Sendable` is right: all fields but `state` and `work` are constants, or only the thread that holds
/// the loop's state accesses them. Another thread may take the work of a one-shot timer, and of any timer that is still
/// in the loop's inbox. The exchange on `state` ensures that only one thread takes it.
class TimerEntry: LoopHandle, DeadlineQueueEntry, @unchecked Sendable {
    private let core: LoopCore
    /// The work of a one-shot timer. It is nil in a repeating timer, which stores its work in `RepeatingTimerEntry`.
    @safe @exclusivity(unchecked)
    private var work: (@Sendable () -> Void)?
    /// The instant at which the timer is due next. Only the loop accesses it. The queue reads and writes this field and
    /// `isQueued` in single steps, so accesses cannot overlap. Exclusivity checks would make cancellation slower.
    @safe @exclusivity(unchecked)
    final var deadline: LoopInstant
    private let state = Atomic<TimerState>(.queued)
    @safe @exclusivity(unchecked)
    final var isQueued = false
    /// Whether `LoopState.aliveCount` counts the timer. The count begins when the loop takes the timer from the inbox.
    final var isCounted = false
    /// Whether the timer should keep the loop alive. Only the loop accesses this field. `keepsLoopAlive` also checks
    /// the thread.
    final private(set) var wantsLoopAlive: Bool
    /// Whether the timer is a ``RepeatingTimerEntry``. Each downcast relies on this field.
    final let isRepeating: Bool
    private let isLenient: Bool

    init(
        _ core: LoopCore,
        at deadline: LoopInstant,
        keepsLoopAlive: Bool,
        isRepeating: Bool = false,
        isLenient: Bool = false,
        _ work: (@Sendable () -> Void)?
    ) {
        self.isRepeating = isRepeating
        self.isLenient = isLenient
        self.core = core
        self.deadline = deadline
        wantsLoopAlive = keepsLoopAlive
        self.work = work
    }

    /// Creates a timer of the smallest sufficient class.
    static func make(
        _ core: LoopCore,
        at deadline: LoopInstant,
        repeating repetition: Repetition?,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> TimerEntry {
        if let repetition {
            return RepeatingTimerEntry(core, at: deadline, repeating: repetition, options: options, work)
        }
        if options.leeway != .zero { return LenientTimerEntry(core, at: deadline, options: options, work) }
        return TimerEntry(core, at: deadline, keepsLoopAlive: options.keepsLoopAlive, work)
    }

    /// How much later than its deadline the timer may fire, in nanoseconds. It is not a `Duration`, because 128-bit
    /// arithmetic is slower.
    final var slack: Int64 { isLenient ? leewayInNanoseconds : 0 }
    var leewayInNanoseconds: Int64 { 0 }

    // Inlined, because each insertion, removal and firing reads it.
    @inline(__always)
    final var isDisposed: Bool { state.load(ordering: .acquiring) == .ended }

    final var keepsLoopAlive: Bool {
        get { core.requireState("keepsLoopAlive") { _ in wantsLoopAlive } }
        set {
            core.requireState("keepsLoopAlive") { loop in
                wantsLoopAlive = newValue
                // The loop counts a posted timer when it takes the timer from the inbox, unless the timer has been
                // disposed before.
                if state.load(ordering: .acquiring) != .posted { loop.recount(self) }
                core.wakeIfInsideWait(loop)
            }
        }
    }

    final func dispose() {
        switch state.exchange(.ended, ordering: .acquiringAndReleasing) {
        case .ended: return
        case .posted:
            core.didCancelPostedTimer()
            dropWork()
        case .queued:
            // This call now owns the work of a one-shot timer. It releases the work last, because a `deinit` may run
            // the loop, and that run must not wait for this timer. The work of a repeating timer may be running, so the
            // loop releases it.
            let work = work.take()
            core.unschedule(self)
            _ = consume work
        }
    }

    /// Records that the timer is in the inbox. Call it before the post.
    final func willPost() { state.store(.posted, ordering: .relaxed) }

    /// Records that the loop has taken the timer from the inbox. Returns false if the timer has been disposed since the
    /// post. In that case the loop does not own the timer's work.
    final func receive() -> Bool {
        state.compareExchange(
            expected: .posted,
            desired: .queued,
            ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Releases the work. Only the owner of the work calls it.
    private func dropWork() {
        if isRepeating {
            _ = unsafe unsafeDowncast(self, to: RepeatingTimerEntry.self).takeRepeatedWork()
        } else {
            work = nil
        }
    }

    /// Disposes a one-shot timer and returns its work. Returns nil if the timer was already disposed.
    final func takeWork() -> (@Sendable () -> Void)? {
        guard state.exchange(.ended, ordering: .acquiringAndReleasing) == .queued else {
            return nil
        }
        defer { work = nil }
        return work
    }

    /// Returns the work of a disposed repeating timer that the loop has removed. The loop must release it. Returns
    /// `nil` for a one-shot timer.
    final func takeRemains() -> AnyObject? {
        unsafe isRepeating ? unsafeDowncast(self, to: RepeatingTimerEntry.self).takeRepeatedWork() : nil
    }

    /// Disposes the timer of a disposed loop, whose state no thread holds. `wasTaken` says whether the loop had taken
    /// the timer from the inbox. If so, a disposed repeating timer may still have its work.
    final func end(wasTaken: Bool) {
        let old = state.exchange(.ended, ordering: .acquiringAndReleasing)
        if old != .ended || isRepeating && wasTaken { dropWork() }
    }
}
