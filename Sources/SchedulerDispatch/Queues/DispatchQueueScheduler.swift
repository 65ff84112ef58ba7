public import Dispatch
public import ReactiveCore
import ReactiveSupport
import SchedulerEngine

/// A scheduler on a dispatch queue, for work that runs on libdispatch's threads.
///
/// It has a serial queue that targets the given one. Work runs first in, first out, one item at a time, even if the target
/// is concurrent (rule S1). Two schedulers on one serial queue run their work in the order of submission. Work never runs
/// inline, also not for a caller on the target queue. The scheduler lives while it is referenced or has timers; submitted
/// work runs even after its release.
public final class DispatchQueueScheduler: TimedScheduler {
    /// The scheduler's name, which is also the label of its queue.
    public let name: String

    let mark = CurrentScheduler.Mark()
    private let queue: DispatchQueue
    private let timers: QueueTimers

    /// Makes a scheduler whose work runs where the work of `target` runs.
    public init(targeting target: DispatchQueue, name: String = "dispatch") {
        self.name = name
        queue = DispatchQueue(label: name, target: target)
        timers = QueueTimers(queue)
        mark.attach(self)
    }

    /// Whether the caller is work of this scheduler (rule C1).
    public var isCurrent: Bool { mark.isCurrent }

    /// The present instant of `CLOCK_MONOTONIC`. Any thread may read it.
    public var now: LoopInstant { MonotonicClock().now }

    /// Runs `work` once, after everything submitted before it. Any thread may call it.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        queue.async { [self] in mark.run(work) }
    }

    /// Runs `work` once, after everything submitted before it, unless the result is disposed first. Any thread may call it.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        let scheduled = ScheduledWork(work)
        queue.async { [self] in mark.run { scheduled.run() } }
        return scheduled
    }

    /// Runs `work` once at `deadline` or later, unless the result is disposed first. Any thread may call it.
    ///
    /// `options.keepsLoopAlive` has no effect. See `TimedScheduler` for what holds when another thread disposes the result.
    public func schedule(
        at deadline: LoopInstant,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        timers.add(QueueTimer(self, timers, at: deadline, repeating: nil, leeway: options.leeway, work))
    }

    /// Runs `work` at `first` and then as `repetition` says, until the result is disposed. Any thread may call it.
    ///
    /// `options.keepsLoopAlive` has no effect. See `TimedScheduler` for what holds when another thread disposes the result.
    public func schedule(
        at first: LoopInstant,
        repeating repetition: Repetition,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        timers.add(QueueTimer(self, timers, at: first, repeating: repetition, leeway: options.leeway, work))
    }
}
