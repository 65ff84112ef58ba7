// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// A timer that repeats.
///
/// Why `@unchecked Sendable` is right: this class adds constants, and fields to which the rules of `TimerEntry` apply.
@safe
final class RepeatingTimerEntry: LenientTimerEntry, @unchecked Sendable {
    /// The interval in nanoseconds. It is not a `Duration`, because 128-bit arithmetic is slower.
    private let step: Int64
    private let base: Repetition.Base
    private var isFiring = false
    /// The work. It is unmanaged, because calling a closure in a variable retains and releases the closure. Safe: the
    /// timer owns one reference count until ``takeRepeatedWork()``, which does nothing during a call.
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

    /// The next deadline, computed at the instant `now`.
    func next(now: LoopInstant) -> LoopInstant { base.next(after: deadline, step: step, now: now) }

    /// Runs the work. Returns false if the timer was disposed before or during the call. The method is inlined, because
    /// a separate call would retain the timer.
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

    /// Returns the work, which the caller must release. Returns `nil` while the work runs, and after an earlier call
    /// has returned it.
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
