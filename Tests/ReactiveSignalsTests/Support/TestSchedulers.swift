import Foundation
import ReactiveCore
import ReactiveSupport
import SchedulerConformance

/// Collects work, and runs it when the test says so.
final class ManualScheduler: Scheduler {
    private let queue = Lock(FIFO<@Sendable () -> Void>())
    private let executed = Box(0)
    private let running = Box(false)

    /// How many pieces of work there were so far.
    var executions: Int { executed.value }
    var isCurrent: Bool { running.value }

    func execute(_ work: @escaping @Sendable () -> Void) {
        executed.update { $0 += 1 }
        queue.withLock { $0.append(work) }
    }

    func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        let item = OnceCell(work)
        execute { item.take()?() }
        return ActionDisposable { _ = item.take() }
    }

    /// Runs one piece of work; false if there is none.
    @discardableResult
    func runOne() -> Bool {
        guard let work = queue.withLock({ $0.popFirst() }) else { return false }
        running.value = true
        work()
        running.value = false
        return true
    }

    /// Runs until nothing is left.
    func run() { while runOne() {} }

    /// Releases all work, as a disposed scheduler does.
    func drop() { _ = queue.withLock { $0.takeAll() } }
}

/// A queue on threads of the system's.
final class QueueScheduler: Scheduler {
    private let queue = DispatchQueue(label: "test")
    private let key = DispatchSpecificKey<Bool>()

    init() { queue.setSpecific(key: key, value: true) }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    func execute(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        let item = OnceCell(work)
        execute { item.take()?() }
        return ActionDisposable { _ = item.take() }
    }
}

/// Runs `work` on so many threads at once, and waits for all of them.
func onThreads(_ count: Int, _ work: @escaping @Sendable (_ index: Int) -> Void) {
    let start = DispatchSemaphore(value: 0)
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        let thread = Thread {
            start.wait()
            work(index)
            group.leave()
        }
        thread.start()
    }
    for _ in 0..<count { start.signal() }
    group.wait()
}

/// Runs `work` on a thread with a small stack, so that recursion shows.
func onSmallStack(_ work: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        work()
        done.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    done.wait()
}

/// Something to wait on for what another thread does.
final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }
    func wait() -> Bool { semaphore.wait(timeout: .now() + 900) == .success }

    /// The same for a task, on a thread of its own: the pool's few threads are busy with tests, and what is waited for may
    /// need one.
    func opened() async -> Bool {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: self.wait()) }.start()
        }
    }
}

/// Gives up the processor until something has come about elsewhere; what never does fails the test's run by its time limit.
func waitWhile(_ isMissing: () -> Bool) {
    let limit = DispatchTime.now() + .seconds(900)
    while isMissing() {
        precondition(DispatchTime.now() < limit, "it never came about")
        sched_yield()
    }
}
