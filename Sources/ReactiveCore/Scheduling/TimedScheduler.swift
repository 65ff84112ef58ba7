/// A scheduler that can also run work later, by its own monotonic clock.
///
/// To implement it: a timer never fires before its deadline (T1); deadlines fire in their order, equal ones in the order
/// in which they were set (T6, T7); a timer set while others fire waits for the next turn (S12); a deadline that has passed
/// fires in the next turn, never inline (T4, T5); disposing stops it from any thread and releases the closure (T8).
///
/// Disposing never waits for a firing. On another thread, the scheduler may have taken a firing before; it is then the scheduler's very
/// next callback, and the last firing (T12). Work that is submitted after `dispose()` runs after that firing has returned (T26).
public protocol TimedScheduler: Scheduler {
    /// The present instant of the scheduler's clock, read afresh (rule T24). Any thread may ask.
    var now: LoopInstant { get }

    /// Runs `work` once at `deadline` or after it, unless the result is disposed first. Any thread may call it.
    ///
    /// See ``TimedScheduler`` for what holds when another thread has disposed the result.
    func schedule(
        at deadline: LoopInstant,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable

    /// Runs `work` at `first` and then as `repetition` says, at most once a turn (T15), until the result is disposed.
    ///
    /// See ``TimedScheduler`` for what holds when another thread has disposed the result.
    func schedule(
        at first: LoopInstant,
        repeating repetition: Repetition,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable
}

extension TimedScheduler {
    /// Runs `work` once, `delay` from now or later. Zero and less mean: in the next turn, after what is due before it.
    @discardableResult
    public func schedule(
        after delay: Duration,
        leeway: Duration = .zero,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        schedule(at: now + delay, options: TimerOptions(leeway: leeway), work)
    }

    /// Runs `work` every `interval`, the first time one interval from now, without drift, until the result is disposed.
    public func schedule(
        every interval: Duration,
        leeway: Duration = .zero,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        schedule(at: now + interval, repeating: .fixedRate(interval), options: TimerOptions(leeway: leeway), work)
    }
}
