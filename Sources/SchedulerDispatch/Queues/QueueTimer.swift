// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import SchedulerEngine

/// A timer of a ``DispatchQueueScheduler``.
///
/// Why `@unchecked Sendable` is right: `deadline` and `isQueued` are accessed under the lock of the ``QueueTimers``.
/// The other fields are constants, or have their own lock.
final class QueueTimer: Disposable, DeadlineQueueEntry, @unchecked Sendable {
    /// The objects that the timer retains until it is disposed. They include the scheduler, so that the scheduler lives
    /// while it has timers.
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
        // `last` is released outside the lock, when this method returns.
        let last = contents.withLock { contents in contents.take() }
        if last != nil { timers.remove(self) }
    }

    /// Fires the timer, on the queue. Returns whether it must be re-armed.
    func fire() -> Bool {
        let isRepeating = repetition != nil
        let present = contents.withLock { contents in isRepeating ? contents : contents.take() }
        guard let present else { return false }
        present.scheduler.mark.run(present.work)
        return isRepeating && !isDisposed
    }
}
