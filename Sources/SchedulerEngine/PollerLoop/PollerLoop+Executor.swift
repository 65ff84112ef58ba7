import ReactiveCore
import ReactiveSupport

extension PollerLoop where Back: ~Copyable {
    /// Enqueues a job of an actor or a task. After disposal the job runs on a thread made for it. Only a forked child drops
    /// it (rule F3).
    public func enqueue(_ job: consuming ExecutorJob) {
        core.enqueue(UnownedJob(job))
    }

    // Safe: a program keeps the loop that it uses as an executor (see ``PollerLoop``).
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        unsafe UnownedTaskExecutor(ordinary: self)
    }

    /// Traps unless the caller is work of this loop. `assumeIsolated` of an actor on the loop calls this.
    public func checkIsolated() {
        precondition(isCurrent, "not on loop \(name)")
    }

    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }
}
