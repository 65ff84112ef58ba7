import ReactiveCore
import ReactiveSupport
import Synchronization

/// One timer: when it fires, and what it does.
///
/// There may be a million of them, so it is no larger than a chunk of 64 bytes: what few timers have is in
/// ``LenientTimerEntry`` and ``RepeatingTimerEntry``.
///
/// Why `@unchecked Sendable` is right: `deadline`, `isQueued` and `work` belong to the loop (to whoever holds its state).
/// The one exception is taking the work from another thread: of a one-shot, and of any timer that the loop has not taken from its
/// inbox. The exchange on `state` gives it to one taker.
class TimerEntry: LoopHandle, DeadlineQueueEntry, @unchecked Sendable {
    private static let pending: UInt8 = 0
    private static let over: UInt8 = 1
    /// In the inbox: the loop has not taken it yet, and has nothing of it.
    private static let posted: UInt8 = 2

    private let core: LoopCore
    /// Of one that does not repeat. Taken by one: by the loop, or by who disposes of it.
    @safe @exclusivity(unchecked)
    private var work: (@Sendable () -> Void)?
    /// When it is due next; the loop's own. It and the next are read and written in one step each, by the queue by way of a
    /// protocol: what Swift checks there at run time cannot happen, and was a third of a cancellation.
    @safe @exclusivity(unchecked)
    final var deadline: LoopInstant
    private let state = Atomic<UInt8>(TimerEntry.pending)
    @safe @exclusivity(unchecked)
    final var isQueued = false
    /// Whether the loop has counted it among what keeps it alive.
    final var isCounted = false
    private var wantsLoopAlive: Bool
    /// Whether it is a ``RepeatingTimerEntry``. Each downcast relies on it.
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

    /// A timer of the kind that it takes.
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

    /// How much later than its deadline it may be, in nanoseconds: a duration's arithmetic is 128 bits wide.
    final var slack: Int64 { isLenient ? leewayInNanoseconds : 0 }
    var leewayInNanoseconds: Int64 { 0 }

    final var isDisposed: Bool { state.load(ordering: .acquiring) == TimerEntry.over }

    final var keepsLoopAlive: Bool {
        get { core.requireState("keepsLoopAlive") { _ in wantsLoopAlive } }
        set {
            core.requireState("keepsLoopAlive") { loop in
                wantsLoopAlive = newValue
                // One in the inbox is counted when the loop takes it, and not at all if it is disposed before that.
                if state.load(ordering: .acquiring) != TimerEntry.posted { loop.recount(self) }
                core.didChangeWait(loop)
            }
        }
    }

    /// Read by the loop when it counts.
    final var keepsAliveNow: Bool { wantsLoopAlive }

    final func dispose() {
        switch state.exchange(TimerEntry.over, ordering: .acquiringAndReleasing) {
        case TimerEntry.over: return
        case TimerEntry.posted:
            core.didCancelPostedTimer()
            dropWork()
        default:
            // A one-shot's work belongs to this caller now. It is released last: its `deinit` may run the loop, which must not wait for
            // this timer any more. A repeating timer's work may be running: the loop drops it.
            let work = work.take()
            core.disarm(self)
            _ = consume work
        }
    }

    /// Marks it as on its way to the loop through the inbox; called before it is posted.
    final func willPost() { state.store(TimerEntry.posted, ordering: .relaxed) }

    /// The loop takes it from the inbox. False where it has been disposed since: nothing of it is the loop's.
    final func receive() -> Bool {
        state.compareExchange(
            expected: TimerEntry.posted,
            desired: TimerEntry.pending,
            ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Releases the work; for the owner of it only.
    private func dropWork() {
        if isRepeating {
            _ = unsafe unsafeDowncast(self, to: RepeatingTimerEntry.self).takeRepeatedWork()
        } else {
            work = nil
        }
    }

    /// The work of a one-shot, which is over with this; or nil where it has been disposed.
    final func takeWork() -> (@Sendable () -> Void)? {
        guard state.exchange(TimerEntry.over, ordering: .acquiringAndReleasing) == TimerEntry.pending else {
            return nil
        }
        defer { work = nil }
        return work
    }

    /// What the loop has to release of a disposed timer that it has taken out: the work of a repeating one.
    final func takeRemains() -> AnyObject? {
        unsafe isRepeating ? unsafeDowncast(self, to: RepeatingTimerEntry.self).takeRepeatedWork() : nil
    }

    /// Ends it with its loop, whose state nobody holds any more. `wasTaken` says whether the loop had taken it from the inbox: then a
    /// repeating timer that is over has its work still.
    final func end(wasTaken: Bool) {
        let old = state.exchange(TimerEntry.over, ordering: .acquiringAndReleasing)
        if old != TimerEntry.over || isRepeating && wasTaken { dropWork() }
    }
}
