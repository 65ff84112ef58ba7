public import ReactiveCore
import ReactiveSupport

/// A scheduler for work that blocks: looking up names, reading files, waiting for a lock of somebody else's.
///
/// Work begins in the order in which it was given, on at most so many threads at a time: the exception to "one piece at a
/// time" where that number is not 1. What comes out belongs back on a loop: `observe(on:)`. Threads are started when they are
/// needed, get no process signals, and end when there has been nothing to do for some seconds.
///
/// Where the system gives no thread and the pool has none, work waits; each later call tries again to start a thread. A pool is not
/// for forked children: there one that the parent made drops what it is given.
///
/// A pool that nobody refers to runs what it was given, and ends then. Letting go of one, and disposing it, wait for nobody,
/// so both are legal on its own threads.
public final class WorkerPool: Scheduler, Disposable {
    /// What the pool's threads are called, as far as the system keeps it: 15 bytes.
    public let name: String
    /// How many threads there are at most.
    public let maximumThreads: Int

    let queue: WorkerQueue
    let mark = CurrentScheduler.Mark()

    /// Makes a pool; it has no thread yet.
    ///
    /// - Parameters:
    ///   - name: what its threads are called.
    ///   - maximumThreads: how many pieces of work may run at a time. Less than 1 counts as 1.
    ///   - idleTime: how long a thread waits for more work before it ends.
    public init(name: String = "worker", maximumThreads: Int, idleTime: Duration = .seconds(5)) {
        self.name = name
        self.maximumThreads = max(1, maximumThreads)
        queue = WorkerQueue(name, limit: self.maximumThreads, idleTime: idleTime)
        mark.attach(self)
    }

    deinit { queue.close() }

    /// Whether the caller is work of this pool's.
    public var isCurrent: Bool { mark.isCurrent }

    /// Whether it has been disposed.
    public var isDisposed: Bool { queue.isOver }

    /// Runs `work` once, on a thread of the pool's, when its turn has come. Any thread. After disposal it is dropped.
    public func execute(_ work: @escaping @Sendable () -> Void) {
        _ = queue.add(ScheduledWork(work), for: self)
    }

    /// Runs `work` once, on a thread of the pool's, unless the result is disposed before it begins: then it leaves the
    /// queue, and is let go of at once. Any thread. After disposal `work` is dropped and the result is disposed already.
    public func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable {
        switch submit(work) {
        case .success(let handle): handle
        case .failure(let stall): stall.handle
        }
    }

    /// There is no thread to do the work, and the system gave none.
    package struct Stall: Error {
        /// The error number of `pthread_create`.
        package let errno: Int32
        /// The work, which waits for the next call.
        package let handle: any Disposable
    }

    /// The same as `schedule`, for a caller that reports a lack of threads instead of waiting for the next call.
    package func submit(_ work: @escaping @Sendable () -> Void) -> Result<any Disposable, Stall> {
        let work = ScheduledWork(work)
        return switch queue.add(work, for: self) {
        case .queued(let number): .success(QueuedWork(work, number, queue))
        case .stalled(let number, let errno): .failure(Stall(errno: errno, handle: QueuedWork(work, number, queue)))
        case .refused: .success(DisposedHandle.shared)
        }
    }

    /// Lets go of all work that has not begun, and ends the threads as they become free; it does not wait for them. Any
    /// thread, also from inside its work. Twice is once.
    public func dispose() { queue.close() }
}

/// The handle of one piece of work. It does not keep the pool.
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
