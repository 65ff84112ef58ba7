// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// Tasks and actors can use a test scheduler as their executor. Their jobs are due at the current instant, and run when
/// the test advances the clock.
///
/// When ``TestScheduler/advance(by:limit:)`` returns, every task that prefers this scheduler has run until it waits for
/// something else.
///
/// Safe: the unowned executors are used only while a job runs. The scheduler runs that job, so it exists.
extension TestScheduler: SerialExecutor, TaskExecutor {
    /// Enqueues a job of an actor or a task, due at the current instant.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        execute { [unowned self] in
            unsafe job.runSynchronously(
                isolatedTo: self.asUnownedSerialExecutor(),
                taskExecutor: self.asUnownedTaskExecutor()
            )
        }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

    public func asUnownedTaskExecutor() -> UnownedTaskExecutor { unsafe UnownedTaskExecutor(ordinary: self) }

    /// Traps unless the caller is work of this scheduler. `assumeIsolated` of an actor on it calls this.
    public func checkIsolated() {
        require(isCurrent, "this code must run as work of its TestScheduler, but runs elsewhere")
    }

    public func isIsolatingCurrentContext() -> Bool? { isCurrent }
}
