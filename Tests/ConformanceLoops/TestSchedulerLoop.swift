// SPDX-License-Identifier: MIT
package import ReactiveCore
import ReactiveSupport
package import ReactiveTesting

/// A `TestScheduler` with the interface of a loop, for the rules that apply in virtual time. Running this loop
/// advances the scheduler: a turn runs the jobs that are due, and if none is due, time jumps to the next deadline.
package final class TestSchedulerLoop: LoopScheduler {
    private struct State {
        /// `nil` after disposal, which releases the pending jobs.
        var scheduler: TestScheduler?
        var isRunning = false
        var isStopped = false
        var turn: UInt64 = 0
        var last = LoopInstant(nanoseconds: 0)
    }

    package let name: String
    private let state: Lock<State>
    private let waking = ParkingSpot()
    private let disposalHandlers = DisposalHandlers()

    package init(name: String) {
        self.name = name
        state = Lock(State(scheduler: TestScheduler()))
    }

    /// The scheduler that runs the jobs.
    package var scheduler: TestScheduler? { state.withLock { $0.scheduler } }

    package var turn: UInt64 { state.withLock { $0.turn } }

    package var isDisposed: Bool { scheduler == nil }

    package var isCurrent: Bool { scheduler?.isCurrent ?? false }

    package var now: LoopInstant { scheduler?.now ?? state.withLock { $0.last } }

    package func dispose() {
        let (gone, isRunning) = state.withLock { state in
            state.last = state.scheduler?.now ?? state.last
            return (state.scheduler.take(), state.isRunning)
        }
        waking.unpark()
        // A run calls the handlers after its last callback.
        if gone != nil, !isRunning { disposalHandlers.run(isLast: true) }
        withExtendedLifetime(gone) {}
    }

    package func onDispose(_ work: @escaping @Sendable () -> Void) -> any Disposable { disposalHandlers.add(work) }

    // MARK: Submitting work

    package func execute(_ work: @escaping @Sendable () -> Void) { _ = schedule(work) }

    package func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        give { $0.schedule(work) }
    }

    package func schedule(
        at deadline: LoopInstant,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        give { $0.schedule(at: deadline, options: options, work) }
    }

    package func schedule(
        at first: LoopInstant,
        repeating repetition: Repetition,
        options: TimerOptions,
        _ work: @escaping @Sendable () -> Void
    ) -> any Disposable {
        give { $0.schedule(at: first, repeating: repetition, options: options, work) }
    }

    private func give(_ work: (TestScheduler) -> any Disposable) -> any Disposable {
        guard let scheduler else { return DisposedHandle.shared }
        let handle = work(scheduler)
        waking.unpark()
        return handle
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        execute { [unowned self] in
            job.runSynchronously(
                isolatedTo: self.asUnownedSerialExecutor(),
                taskExecutor: self.asUnownedTaskExecutor()
            )
        }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }

    // MARK: Running

    package func run() throws(LoopError) {
        try running { scheduler in takeTurn(of: scheduler, waiting: true) }
    }

    package func runUntilIdle() throws(LoopError) {
        try running { scheduler in
            if scheduler.isIdle { return false }
            return takeTurn(of: scheduler, waiting: true)
        }
    }

    package func runOnce(waiting: Bool) throws(LoopError) {
        try running { scheduler in
            _ = takeTurn(of: scheduler, waiting: waiting)
            return false
        }
    }

    package func stop() {
        state.withLock { $0.isStopped = true }
        waking.unpark()
    }

    /// Repeats until `body` returns false, or the loop is stopped or disposed.
    private func running(_ body: (TestScheduler) -> Bool) throws(LoopError) {
        let scheduler = try state.withLock { (state) throws(LoopError) in
            guard let scheduler = state.scheduler else { throw LoopError(.disposed, "\(name) has been disposed") }
            if state.isRunning { throw LoopError(.alreadyRunning, "\(name) is running") }
            state.isRunning = true
            return scheduler
        }
        defer {
            let isOver = state.withLock { state in
                (state.isRunning, state.isStopped) = (false, false)
                return state.scheduler == nil
            }
            if isOver { disposalHandlers.run(isLast: true) }
        }
        while body(scheduler), !isToEnd {}
    }

    private var isToEnd: Bool { state.withLock { $0.isStopped || $0.scheduler == nil } }

    /// Runs the due jobs that were queued when the turn began. If there are none, runs the next job at its deadline.
    /// Returns true if the run continues.
    private func takeTurn(of scheduler: TestScheduler, waiting: Bool) -> Bool {
        state.withLock { $0.turn += 1 }
        let isOver = Flag()
        // Jobs that run before this one were queued when the turn began.
        scheduler.execute { isOver.value = true }
        var count = 0
        while !isOver.value, !isToEnd {
            scheduler.step()
            count += 1
        }
        if count > 1 || !waiting || isToEnd { return true }
        if !scheduler.step() { waking.park() }
        return true
    }

    // MARK: Operations that virtual time does not support

    package func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        _ ready: @escaping @Sendable (Readiness) -> Void
    ) throws(LoopError) -> any DescriptorWatch {
        throw LoopError(.unavailable, "a TestScheduler watches no descriptors")
    }

    package func onSignal(
        _ signal: ProcessSignal,
        _ handler: @escaping @Sendable () -> Void
    ) throws(LoopError) -> any LoopHandle {
        throw LoopError(.unavailable, "a TestScheduler handles no process signals")
    }
}

private final class Flag: Sendable {
    private let stored = Lock(false)

    var value: Bool {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
