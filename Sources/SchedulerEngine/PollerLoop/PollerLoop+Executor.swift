// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

extension PollerLoop where Back: ~Copyable {
    /// Enqueues a job of an actor or a task, after all work submitted before it. Any thread may call it.
    ///
    /// After disposal, a separate thread runs the job. If the system has no thread left, the caller runs it (rule X7).
    /// Only a forked child drops the job (F3).
    public func enqueue(_ job: consuming ExecutorJob) {
        core.enqueue(UnownedJob(job))
    }

    /// The loop as the executor of an actor (`unownedExecutor`). The result does not retain the loop (see
    /// ``PollerLoop``).
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        // Safe: a program keeps the loop that it uses as an executor.
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    /// The loop as the executor of a task. The result does not retain the loop, but a task that prefers the loop does
    /// (see ``PollerLoop``).
    public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        unsafe UnownedTaskExecutor(ordinary: self)
    }

    /// Traps unless the caller is work of this loop. `assumeIsolated` of an actor on the loop calls this.
    public func checkIsolated() {
        require(isCurrent, "this code must run as work of loop \(name), but runs elsewhere")
    }

    /// Whether the caller is work of this loop, like ``isCurrent``. The result is never `nil`.
    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }
}
