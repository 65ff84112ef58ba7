// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

/// A scheduler that runs work immediately if none is running, otherwise after the running work. So recursion becomes a
/// loop.
///
/// If no work is running, `execute` runs the work itself. Before it returns, it also runs the work that was submitted
/// in that time, from inside the work or by other threads, in order. So work never overlaps and never nests. The
/// scheduler has no thread and no clock.
public final class TrampolineScheduler: Scheduler {
    private let claim = DrainClaim()
    private let queue = Lock(FIFO<@Sendable () -> Void>())
    private let mark = CurrentScheduler.Mark()

    /// Creates a scheduler with an empty queue.
    public init() { mark.attach(self) }

    /// Whether the calling code runs as work of this scheduler.
    public var isCurrent: Bool { mark.isCurrent }

    /// Runs `work` before it returns, or after the work that is running.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        queue.withLock { $0.append(work) }
        guard claim.announce() else { return }
        claim.drain { while let next = queue.withLock({ $0.popFirst() }) { mark.run(next) } }
    }

    /// Runs `work` as `execute` does, unless the result is disposed before `work` begins.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        let item = ScheduledWork(work)
        execute { item.run() }
        return item
    }
}
