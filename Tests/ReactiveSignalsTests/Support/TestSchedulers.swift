// SPDX-License-Identifier: MIT
import Foundation
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

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
        return AnyDisposable { _ = item.take() }
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
        return AnyDisposable { _ = item.take() }
    }
}

/// Runs `work` on this number of threads at once, and waits for all of them. Records an issue if a thread throws an error
/// or exceeds the time limit.
func onThreads(
    _ count: Int,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ work: @escaping @Sendable (_ index: Int) throws -> Void
) {
    let start = Latch()
    let threads = (0..<count).map { index in
        TestThread {
            try start.wait()
            try work(index)
        }
    }
    start.arrive()
    for (index, thread) in threads.enumerated() {
        do { try thread.join("thread \(index)") } catch { Issue.record(error, sourceLocation: sourceLocation) }
    }
}

/// A number of nested calls that overflows a small stack. Under a sanitizer fewer suffice, because its frames are large.
let manyLevels = Platform.rounds(100_000)

/// Runs `work` on a thread with a small stack, which recursion would overflow. Records an issue if it exceeds the time
/// limit.
func onSmallStack(sourceLocation: SourceLocation = #_sourceLocation, _ work: @escaping @Sendable () -> Void) {
    let done = Latch()
    let thread = Thread {
        work()
        done.arrive()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    do { try done.wait("the small stack") } catch { Issue.record(error, sourceLocation: sourceLocation) }
}
