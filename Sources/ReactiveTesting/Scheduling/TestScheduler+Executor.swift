import ReactiveCore

/// Tasks and actors can live on a test scheduler: their jobs are work that is due at once, run when the test advances.
///
/// So code that awaits is tested by quiescence: when ``TestScheduler/advance(by:limit:)`` returns, every task that prefers
/// this scheduler has run until it waits for something else.
///
/// Safe: the unowned executors are used while a job runs, and the queue that runs it is the scheduler's.
extension TestScheduler: SerialExecutor, TaskExecutor {
    /// Takes a job of an actor's or a task's, to be run at the present instant.
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

    /// Traps unless called from this scheduler's work: what `assumeIsolated` of an actor on it asks.
    public func checkIsolated() {
        precondition(isCurrent, "not work of this TestScheduler")
    }

    public func isIsolatingCurrentContext() -> Bool? { isCurrent }
}
