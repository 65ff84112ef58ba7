// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// A timer that repeats.
///
/// Why `@unchecked Sendable` is right: it adds constants, and state that belongs to the loop like that of `TimerEntry`.
@safe
final class RepeatingTimerEntry: LenientTimerEntry, @unchecked Sendable {
    /// The interval in nanoseconds, because arithmetic on a `Duration` is 128 bits wide.
    private let step: Int64
    private let base: Repetition.Base
    private var isFiring = false
    /// The work. Unmanaged, because calling a closure that is read from a variable retains and releases it. Safe: the
    /// timer owns one count until ``takeRepeatedWork()``, which does nothing during a call.
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

    /// Whether the interval counts from the return of the work.
    var countsFromEnd: Bool { base == .delay }

    /// The next deadline, as of `now`.
    func next(now: LoopInstant) -> LoopInstant { base.next(after: deadline, step: step, now: now) }

    /// Runs the work. Returns false if the timer was disposed before or during it. A call that is not inlined would
    /// retain the timer.
    @inline(__always)
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

    /// Hands the work to the caller, which releases it; nil while the work runs, and once it has been handed out.
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
