// SPDX-License-Identifier: MIT
import Foundation
import ReactiveCore
import ReactiveSupport
import SchedulerConformance

/// Queues work, and runs it when the test asks for it.
final class ManualScheduler: Scheduler {
    private let queue = Lock(FIFO<@Sendable () -> Void>())
    private let executed = Box(0)
    private let running = Box(false)

    /// The number of jobs so far.
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

    /// Runs one job. Returns false if there is none.
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

    /// Releases all queued work, as a disposed scheduler does.
    func drop() { _ = queue.withLock { $0.takeAll() } }
}

/// A scheduler on a dispatch queue.
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

/// Runs `work` on this number of threads at once, and waits for all of them.
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

/// Runs `work` on a thread with a small stack, which recursion would overflow.
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

/// Lets one thread wait until another one has opened it.
final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }
    func wait() -> Bool { semaphore.wait(timeout: .now() + 900) == .success }

    /// Waits on a new thread: tests occupy the few threads of the pool, and the condition may need one of them.
    func opened() async -> Bool {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: self.wait()) }.start()
        }
    }
}

/// Yields until the condition is false. Traps after a time limit.
func waitWhile(_ isMissing: () -> Bool) {
    let limit = DispatchTime.now() + .seconds(900)
    while isMissing() {
        precondition(DispatchTime.now() < limit, "it never came about")
        sched_yield()
    }
}
