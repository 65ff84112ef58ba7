import ReactiveCore
import ReactiveSupport

/// A timer that repeats.
///
/// Why `@unchecked Sendable` is right: it adds constants, and what belongs to the loop as the rest does.
@safe
final class RepeatingTimerEntry: LenientTimerEntry, @unchecked Sendable {
    /// In nanoseconds: a duration's arithmetic is 128 bits wide.
    private let step: Int64
    private let base: Repetition.Base
    private var isFiring = false
    /// Unmanaged because a closure that is read from a variable is retained for its call, which is two of a firing's three atomic
    /// operations. Safe: the timer owns one count until ``takeRepeatedWork()``, which does nothing during a call.
    @safe @exclusivity(unchecked)
    private var work: Unmanaged<RepeatedWork>?

    init(
        _ core: LoopCore,
        at deadline: LoopInstant,
        repeating repetition: Repetition,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) {
        (step, base) = (repetition.interval.saturatedNanoseconds, repetition.base)
        self.work = unsafe .passRetained(RepeatedWork(work))
        super.init(core, at: deadline, options: options, isRepeating: true, nil)
    }

    deinit { unsafe work?.release() }

    /// Whether it is due so long after its work has returned.
    var countsFromEnd: Bool { base == .delay }

    /// When it is due again, as of now.
    func next(now: LoopInstant) -> LoopInstant { base.next(after: deadline, step: step, now: now) }

    /// Runs the work; false where the timer is over, before it or since.
    func fire(_ willRun: () -> Void) -> Bool {
        guard let work, !isDisposed else {
            _ = takeRepeatedWork()
            return false
        }
        willRun()
        isFiring = true
        unsafe work._withUnsafeGuaranteedRef { $0.run() }
        isFiring = false
        if !isDisposed { return true }
        _ = takeRepeatedWork()
        return false
    }

    /// Hands the work to the caller, who releases it; nil while it runs, and afterwards.
    func takeRepeatedWork() -> AnyObject? {
        if isFiring { return nil }
        defer { work = nil }
        return unsafe work?.takeRetainedValue()
    }
}

private final class RepeatedWork {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
