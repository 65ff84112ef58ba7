// SPDX-License-Identifier: MIT
import ReactiveCore

/// A timer that has leeway.
///
/// Why `@unchecked Sendable` is right: this class adds only a constant to `TimerEntry`.
class LenientTimerEntry: TimerEntry, @unchecked Sendable {
    private let leeway: Int64

    init(
        _ core: LoopCore,
        at deadline: LoopInstant,
        options: TimerOptions,
        isRepeating: Bool = false,
        _ work: (@Sendable () -> Void)?
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
