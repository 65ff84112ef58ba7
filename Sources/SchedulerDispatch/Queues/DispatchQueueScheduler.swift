// SPDX-License-Identifier: MIT
public import Dispatch
public import ReactiveCore
import ReactiveSupport
import SchedulerEngine

/// A scheduler on a dispatch queue, for work that runs on libdispatch's threads.
///
/// It has a serial queue that targets the given one. Work runs first in, first out, one item at a time, even if the
/// target is concurrent (rule S1). Two schedulers on one serial queue run their work in the order of submission. Work
/// never runs inline, even if the caller is on the target queue.
///
/// Any thread may use every member. The scheduler cannot be disposed. It lives while it is referenced, has submitted
/// work or has timers, so submitted work runs even after the last reference has been released. In a forked child it
/// does not work: libdispatch does not survive a fork.
public final class DispatchQueueScheduler: TimedScheduler {
    /// The scheduler's name, which is also the label of its queue.
    public let name: String

    let mark = CurrentScheduler.Mark()
    private let queue: DispatchQueue
    private let timers: QueueTimers

    /// Creates a scheduler whose work runs where the work of `target` runs.
    ///
    /// - Parameters:
    ///   - target: The queue that runs the work. It may be serial, concurrent or the main queue.
    ///   - name: The label of the scheduler's own queue, for debuggers. It need not be unique.
    public init(targeting target: DispatchQueue, name: String = "dispatch") {
        self.name = name
        queue = DispatchQueue(label: name, target: target)
        timers = QueueTimers(queue)
        mark.attach(self)
    }

    /// Whether the calling code runs as work of this scheduler (rule C1).
    public var isCurrent: Bool { mark.isCurrent }

    /// The current instant of `CLOCK_MONOTONIC`, read at each access (rule T24).
    public var now: LoopInstant { MonotonicClock().now }

    /// Runs `work` once, after everything submitted before it (rules S1, X6).
    public func execute(_ work: @escaping @Sendable () -> Void) {
        queue.async { [self] in mark.run(work) }
    }

    /// Runs `work` once, after everything submitted before it, unless the result is disposed first.
    ///
    /// `Scheduler.schedule(_:)` describes a disposal by another thread.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        let scheduled = ScheduledWork(work)
        queue.async { [self] in mark.run { scheduled.run() } }
        return scheduled
    }

    /// Runs `work` once at `deadline` or later, unless the result is disposed first.
    ///
    /// `options.keepsLoopAlive` has no effect. `TimedScheduler` describes the order of timers, and a disposal by
    /// another thread. Timers do not fire while the system has no descriptor for libdispatch's first timer.
    @discardableResult
    public func schedule(
        at deadline: LoopInstant,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        timers.add(QueueTimer(self, timers, at: deadline, repeating: nil, leeway: options.leeway, work))
    }

    /// Runs `work` at `first` and then as `repetition` says, until the result is disposed.
    ///
    /// Everything else is as for a timer that fires once: see ``schedule(at:options:_:)``.
    public func schedule(
        at first: LoopInstant,
        repeating repetition: Repetition,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        timers.add(QueueTimer(self, timers, at: first, repeating: repetition, leeway: options.leeway, work))
    }
}
