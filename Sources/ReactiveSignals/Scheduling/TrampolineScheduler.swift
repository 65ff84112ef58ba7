public import ReactiveCore
import ReactiveSupport

/// Runs work at once where none is running, and otherwise right after what is: recursion becomes a loop.
///
/// The first to give work runs it before `execute` returns, and everything that is given meanwhile, from inside the work or
/// by other threads, in its order. So work never overlaps and never nests. It has no thread and no clock of its own.
public final class TrampolineScheduler: Scheduler {
    private let claim = DrainClaim()
    private let queue = Lock(FIFO<@Sendable () -> Void>())
    private let mark = CurrentScheduler.Mark()

    /// Makes one; each is a queue of its own.
    public init() { mark.attach(self) }

    /// Whether the caller is work of this scheduler's.
    public var isCurrent: Bool { mark.isCurrent }

    /// Runs `work` before it returns, unless other work is running: then after that.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        queue.withLock { $0.append(work) }
        guard claim.announce() else { return }
        claim.drain { while let next = queue.withLock({ $0.popFirst() }) { mark.run(next) } }
    }

    /// Runs `work` as `execute` does, unless the result is disposed first.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        let item = ScheduledWork(work)
        execute { item.run() }
        return item
    }
}
