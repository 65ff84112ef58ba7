// SPDX-License-Identifier: MIT
import ReactiveCore

/// A scheduler that runs work with the values of a ``PropagatedContext``.
///
/// One object serves one operator of one subscription.
final class ContextScheduler: Scheduler {
    private let scheduler: any Scheduler
    private let context: PropagatedContext

    init(_ scheduler: any Scheduler, _ context: PropagatedContext) {
        self.scheduler = scheduler
        self.context = context
    }

    var isCurrent: Bool { scheduler.isCurrent }

    func execute(_ work: @escaping @Sendable () -> Void) {
        scheduler.execute { [context] in context.restore(work) }
    }

    func executeRestLater(_ work: @escaping @Sendable () -> Void) {
        scheduler.executeLater { [context] in context.restore(work) }
    }

    func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        scheduler.schedule { [context] in context.restore(work) }
    }
}

/// A ``ContextScheduler`` with timers.
final class ContextTimers: TimedScheduler {
    private let scheduler: any TimedScheduler
    private let context: PropagatedContext

    init(_ scheduler: any TimedScheduler, _ context: PropagatedContext) {
        self.scheduler = scheduler
        self.context = context
    }

    var isCurrent: Bool { scheduler.isCurrent }

    var now: LoopInstant { scheduler.now }

    func execute(_ work: @escaping @Sendable () -> Void) {
        scheduler.execute { [context] in context.restore(work) }
    }

    func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        scheduler.schedule { [context] in context.restore(work) }
    }

    func schedule(
        at deadline: LoopInstant,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        scheduler.schedule(at: deadline, options: options) { [context] in context.restore(work) }
    }

    func schedule(
        at first: LoopInstant,
        repeating repetition: Repetition,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        scheduler.schedule(at: first, repeating: repetition, options: options) { [context] in context.restore(work) }
    }
}
