// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import SchedulerConformance

/// Queues work, and runs it when the test asks for it.
final class ManualScheduler: Scheduler {
    private let queue = Lock(FIFO<@Sendable () -> Void>())
    private let running = Box(false)

    var isCurrent: Bool { running.value }

    func execute(_ work: @escaping @Sendable () -> Void) { queue.withLock { $0.append(work) } }

    func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        let item = ScheduledWork(work)
        execute { item.run() }
        return item
    }

    /// Runs one job. Returns false if there is none.
    @discardableResult
    func runOne() -> Bool {
        guard let work = queue.withLock({ $0.popFirst() }) else { return false }
        running.value = true
        work()
        running.value = false
        return true
    }

    /// Releases all queued work, as a disposed scheduler does.
    func drop() { _ = queue.withLock { $0.takeAll() } }

    /// Runs until nothing is left.
    func run() { while runOne() {} }
}
