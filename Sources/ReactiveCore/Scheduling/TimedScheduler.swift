// SPDX-License-Identifier: MIT
/// A scheduler with timers on its own monotonic clock.
///
/// Any thread may use every member. Disposing a timer never waits for a firing. If another thread disposes a timer, the
/// scheduler may already have dequeued a firing. That firing is then the scheduler's very next callback, and the
/// timer's last firing (rule T12). Work that is submitted after `dispose()` runs after that firing has returned (T26).
///
/// A conforming type follows these rules:
///
/// - A timer never fires before its deadline (T1), and never inside the call of `schedule`. If its deadline has passed,
///   it fires in the next turn (T4, T5).
/// - Timers fire in the order of their deadlines. Equal deadlines fire in the order of scheduling (T6, T7).
/// - A timer that is scheduled while timers fire waits for the next turn (S12).
/// - Disposing a one-shot timer before it is due releases its closure immediately (T8).
/// - After its disposal a scheduler releases `work`, and returns a handle that is already disposed (X8).
public protocol TimedScheduler: Scheduler {
    /// The current instant of the scheduler's clock. Each access reads the clock (rule T24).
    var now: LoopInstant { get }

    /// Runs `work` once, at `deadline` or later, unless the result is disposed first.
    ///
    /// A timer for ``LoopInstant/distantFuture`` never fires. Releasing the result does not cancel the timer.
    @discardableResult
    func schedule(
        at deadline: LoopInstant,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable

    /// Runs `work` at `first` or later, and then repeatedly, until the result is disposed. It runs at most once per
    /// turn (T15).
    ///
    /// - Parameters:
    ///   - first: The deadline of the first firing.
    ///   - repetition: The interval of the later firings, and the instant from which each interval is measured.
    ///   - options: The leeway, and whether the timer keeps the loop alive.
    ///   - work: The closure that the scheduler calls at each firing.
    /// - Returns: The handle that stops the timer. The work itself may dispose it.
    func schedule(
        at first: LoopInstant,
        repeating repetition: Repetition,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable
}

extension TimedScheduler {
    /// Runs `work` once, `delay` from now or later. A delay of zero or less fires in the next turn (rules T4, T5).
    ///
    /// The timer keeps the loop alive. Releasing the result does not cancel it.
    @discardableResult
    public func schedule(
        after delay: Duration,
        leeway: Duration = .zero,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        schedule(at: now + delay, options: TimerOptions(leeway: leeway), work)
    }

    /// Runs `work` at a fixed rate until the result is disposed (rule T13). The first firing is one `interval` from
    /// now.
    ///
    /// The timer keeps the loop alive. Releasing the result does not stop it.
    public func schedule(
        every interval: Duration,
        leeway: Duration = .zero,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        schedule(at: now + interval, repeating: .fixedRate(interval), options: TimerOptions(leeway: leeway), work)
    }
}
