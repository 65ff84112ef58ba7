import ReactiveCore
import ReactiveSupport
import SchedulerEngine

/// A timer of a queue's.
///
/// Why `@unchecked Sendable` is right: `deadline` and `isQueued` are touched under the lock of the timers it belongs to;
/// all else is constant or has a lock of its own.
final class QueueTimer: Disposable, DeadlineQueueEntry, @unchecked Sendable {
    /// What it holds until it is over. The scheduler too, so that a scheduler with timers lives.
    private struct Contents {
        let scheduler: DispatchQueueScheduler
        let work: @Sendable () -> Void
    }

    private let contents: Lock<Contents?>
    private let timers: QueueTimers
    let repetition: Repetition?
    let slack: Int64
    var deadline: LoopInstant
    var isQueued = false

    init(
        _ scheduler: DispatchQueueScheduler,
        _ timers: QueueTimers,
        at deadline: LoopInstant,
        repeating repetition: Repetition?,
        leeway: Duration,
        _ work: @escaping @Sendable () -> Void
    ) {
        contents = Lock(Contents(scheduler: scheduler, work: work))
        self.timers = timers
        self.deadline = deadline
        self.repetition = repetition
        slack = leeway.saturatedNanoseconds
    }

    var isDisposed: Bool { contents.withLock { contents in contents == nil } }

    func dispose() {
        // Let go of outside the lock, at the end.
        let last = contents.withLock { contents in contents.take() }
        if last != nil { timers.remove(self) }
    }

    /// On the queue, when it is due. Whether it has to be set again.
    func fire() -> Bool {
        let isRepeating = repetition != nil
        let present = contents.withLock { contents in isRepeating ? contents : contents.take() }
        guard let present else { return false }
        present.scheduler.mark.run(present.work)
        return isRepeating && !isDisposed
    }
}
