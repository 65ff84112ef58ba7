import ReactiveCore
import ReactiveSupport

extension PollerLoop where Back: ~Copyable {
    /// Takes a job of an actor's or a task's. It is never dropped: after disposal it runs on a thread made for it.
    public func enqueue(_ job: consuming ExecutorJob) {
        core.enqueue(UnownedJob(job))
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        UnownedTaskExecutor(ordinary: self)
    }

    /// Traps unless called from this loop's work: what `assumeIsolated` of an actor on the loop asks.
    public func checkIsolated() {
        precondition(isCurrent, "not on loop \(name)")
    }

    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }
}
