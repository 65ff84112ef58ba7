// SPDX-License-Identifier: MIT
public import Dispatch
public import ReactiveCore
import ReactiveSupport
import SchedulerEngine

/// A scheduler on a dispatch queue, for work that runs on libdispatch's threads.
///
/// The scheduler creates a serial queue that targets the given queue. Work runs in the order of submission, one item at
/// a time, even if the target is concurrent (rule S1). Two schedulers on one serial target never run work at the same
/// time. Each keeps its own order of submission, and there is no order between them. Work never runs inside `execute`
/// or `schedule`, even if the caller is on the target queue.
///
/// Any thread may use every member. The scheduler cannot be disposed. It lives while it is referenced, has submitted
/// work or has timers. So submitted work runs even after the last reference has been released. The scheduler does not
/// work in a forked child, because libdispatch does not survive a fork.
public final class DispatchQueueScheduler: TimedScheduler {
    /// The scheduler's name, used as the label of its queue.
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
    /// another thread. If the system has no descriptor for libdispatch's first timer, timers do not fire until one is
    /// free.
    @discardableResult
    public func schedule(
        at deadline: LoopInstant,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        timers.add(QueueTimer(self, timers, at: deadline, repeating: nil, leeway: options.leeway, work))
    }

    /// Runs `work` at `first` and then repeatedly, as `repetition` says, until the result is disposed.
    ///
    /// Otherwise it behaves like ``schedule(at:options:_:)``.
    public func schedule(
        at first: LoopInstant,
        repeating repetition: Repetition,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        timers.add(QueueTimer(self, timers, at: first, repeating: repetition, leeway: options.leeway, work))
    }
}
