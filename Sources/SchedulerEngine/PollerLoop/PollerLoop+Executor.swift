import ReactiveCore
import ReactiveSupport

extension PollerLoop where Back: ~Copyable {
    /// Takes a job of an actor's or a task's. It is never dropped: after disposal it runs on a thread made for it.
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

    /// Traps unless called from this loop's work: what `assumeIsolated` of an actor on the loop asks.
    public func checkIsolated() {
        precondition(isCurrent, "not on loop \(name)")
    }

    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }
}
