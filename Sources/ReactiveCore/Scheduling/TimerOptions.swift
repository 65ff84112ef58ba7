/// What a timer leaves to the scheduler.
public struct TimerOptions: Sendable, Hashable {
    /// How much later than its deadline the timer may fire, so that the loop can serve several in one wake-up.
    ///
    /// A timer is never early (rule T1) and leeway only ever delays (rule T19). Zero or less means: as soon as possible.
    public var leeway: Duration

    /// Whether `runUntilIdle` waits for the timer (rule K1). A scheduler that has no such call ignores it.
    public var keepsLoopAlive: Bool

    /// Makes options; the defaults are no leeway, and a loop that waits for the timer.
    public init(leeway: Duration = .zero, keepsLoopAlive: Bool = true) {
        self.leeway = leeway
        self.keepsLoopAlive = keepsLoopAlive
    }
}
