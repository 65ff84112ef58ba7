// SPDX-License-Identifier: MIT
public import ReactiveCore
import ReactiveSupport

/// A scheduler for work that blocks: name lookups, file reads, locks of other libraries.
///
/// Work begins in the order of submission, on at most ``maximumThreads`` threads. With more than one thread, jobs may
/// overlap, unlike on a loop. Use `observe(on:)` to move results to a loop. Threads start when they are needed, block
/// process signals, and end after an idle time.
///
/// If the system refuses to create a thread and the pool has none, work waits. Each later call tries again to start a
/// thread. In a forked child, a pool of the parent drops work.
///
/// Releasing a pool does not cancel submitted work. The threads run it, then end. Neither releasing nor disposing
/// waits, so both are legal on the pool's own threads.
public final class WorkerPool: Scheduler, Disposable {
    /// The name of the pool's threads. The system keeps the first 15 bytes.
    public let name: String
    /// The maximum number of threads.
    public let maximumThreads: Int

    let queue: WorkerQueue
    let mark = CurrentScheduler.Mark()

    /// Creates a pool without threads.
    ///
    /// - Parameters:
    ///   - name: The name of its threads.
    ///   - maximumThreads: How many jobs may run at a time. Less than one counts as one.
    ///   - idleTime: How long a thread waits for more work before it ends.
    public init(name: String = "worker", maximumThreads: Int, idleTime: Duration = .seconds(5)) {
        self.name = name
        self.maximumThreads = max(1, maximumThreads)
        queue = WorkerQueue(name, limit: self.maximumThreads, idleTime: idleTime)
        mark.attach(self)
    }

    deinit { queue.close() }

    /// Whether the calling code runs as work of this pool.
    public var isCurrent: Bool { mark.isCurrent }

    /// Whether the pool has been disposed. In a forked child, a pool of the parent counts as disposed.
    public var isDisposed: Bool { queue.isOver }

    /// Runs `work` once, on a thread of the pool. Any thread may call it. After disposal `work` is dropped.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        _ = queue.add(ScheduledWork(work), for: self)
    }

    /// Runs `work` once, on a thread of the pool, unless the result is disposed before the work begins. Disposing
    /// removes the work from the queue and releases it immediately. Any thread may call it. After the pool's disposal,
    /// `work` is dropped and the result is disposed already.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        switch submit(work) {
        case .success(let handle): handle
        case .failure(let stall): stall.handle
        }
    }

    /// The error of ``submit(_:)`` if the pool has no thread for the work and the system refused to create one.
    package struct Stall: Error {
        /// The error number of `pthread_create`.
        package let errno: Int32
        /// The handle of the work, which waits for the next call.
        package let handle: any Disposable
    }

    /// Runs `work` as ``schedule(_:)`` does, but reports a lack of threads.
    package func submit(_ work: @escaping @Sendable () -> Void) -> Result<any Disposable, Stall> {
        let work = ScheduledWork(work)
        guard let added = queue.add(work, for: self) else { return .success(DisposedHandle.shared) }
        let handle = QueuedWork(work, added.number, queue)
        if let errno = added.errno { return .failure(Stall(errno: errno, handle: handle)) }
        return .success(handle)
    }

    /// Drops all work that has not begun, and ends each thread when it is idle, without waiting. Any thread may call
    /// it, even from inside the pool's work. Later calls do nothing.
    public func dispose() { queue.close() }
}

/// The handle of one job. It does not retain the pool.
private final class QueuedWork: Disposable {
    private let work: ScheduledWork
    private let number: UInt64
    private let queue: WorkerQueue

    init(_ work: ScheduledWork, _ number: UInt64, _ queue: WorkerQueue) {
        self.work = work
        self.number = number
        self.queue = queue
    }

    var isDisposed: Bool { work.isDisposed }

    func dispose() {
        work.dispose()
        queue.remove(number)
    }
}
