public import Dispatch
public import ReactiveCore
import ReactiveSupport
import SchedulerEngine

/// A scheduler on any dispatch queue, for work that is to run on Dispatch's threads.
///
/// It is a serial queue of its own that targets the given one: work runs first in, first out, one piece at a time, also
/// where the target is concurrent (rule S1). Two schedulers on one serial queue take turns in the order in which work was
/// given. It always runs later, never inline, from the target queue too. It lives as long as it is referred to or has
/// timers; what has been given still runs.
public final class DispatchQueueScheduler: TimedScheduler {
    /// What messages and tools call it.
    public let name: String

    let mark = CurrentScheduler.Mark()
    private let queue: DispatchQueue
    private let timers: QueueTimers

    /// Makes a scheduler whose work runs where `target`'s does.
    public init(targeting target: DispatchQueue, name: String = "dispatch") {
        self.name = name
        queue = DispatchQueue(label: name, target: target)
        timers = QueueTimers(queue)
        mark.attach(self)
    }

    public var isCurrent: Bool { mark.isCurrent }

    public var now: LoopInstant { MonotonicClock().now }

    public func execute(_ work: @escaping @Sendable () -> Void) {
        queue.async { [self] in mark.run(work) }
    }

    public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        let scheduled = ScheduledWork(work)
        queue.async { [self] in mark.run { scheduled.run() } }
        return scheduled
    }

    public func schedule(
        at deadline: LoopInstant,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        timers.add(QueueTimer(self, timers, at: deadline, repeating: nil, leeway: options.leeway, work))
    }

    public func schedule(
        at first: LoopInstant,
        repeating repetition: Repetition,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        timers.add(QueueTimer(self, timers, at: first, repeating: repetition, leeway: options.leeway, work))
    }
}
