import ReactiveCore

/// A timer that has leeway.
///
/// Why `@unchecked Sendable` is right: it adds a constant.
class LenientTimerEntry: TimerEntry, @unchecked Sendable {
    private let leeway: Int64

    init(
        _ core: LoopCore,
        at deadline: LoopInstant,
        options: TimerOptions,
        isRepeating: Bool = false,
        _ work: @escaping @Sendable () -> Void
    ) {
        leeway = options.leeway.saturatedNanoseconds
        super.init(
            core,
            at: deadline,
            keepsLoopAlive: options.keepsLoopAlive,
            isRepeating: isRepeating,
            isLenient: options.leeway != .zero,
            work
        )
    }

    final override var leewayInNanoseconds: Int64 { leeway }
}

/// A timer that repeats.
///
/// Why `@unchecked Sendable` is right: it adds constants.
final class RepeatingTimerEntry: LenientTimerEntry, @unchecked Sendable {
    /// In nanoseconds: a duration's arithmetic is 128 bits wide.
    private let step: Int64
    private let base: Repetition.Base

    init(
        _ core: LoopCore,
        at deadline: LoopInstant,
        repeating repetition: Repetition,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) {
        (step, base) = (repetition.interval.saturatedNanoseconds, repetition.base)
        super.init(core, at: deadline, options: options, isRepeating: true, work)
    }

    override var countsFromEnd: Bool { base == .delay }
    override func next(now: LoopInstant) -> LoopInstant { base.next(after: deadline, step: step, now: now) }
}
