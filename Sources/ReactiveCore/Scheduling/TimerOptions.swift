// SPDX-License-Identifier: MIT
/// The options of a timer.
public struct TimerOptions: Sendable, Hashable {
    /// How much later than its deadline the timer may fire, so that the loop can fire several timers in one wake-up.
    ///
    /// Leeway only delays a timer (rule T19). A timer never fires early (T1). Zero or less means no additional delay.
    public var leeway: Duration

    /// Whether `runUntilIdle` waits for the timer (rule K1). A scheduler without `runUntilIdle` ignores this option.
    public var keepsLoopAlive: Bool

    /// Creates options. By default the timer has no leeway, and keeps the loop alive.
    public init(leeway: Duration = .zero, keepsLoopAlive: Bool = true) {
        self.leeway = leeway
        self.keepsLoopAlive = keepsLoopAlive
    }
}
