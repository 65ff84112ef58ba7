// SPDX-License-Identifier: MIT
import ReactiveSupport

/// Runs the jobs that are enqueued on a disposed loop. A dropped job would leave its task waiting forever (rule X7).
///
/// Jobs run one at a time, on a thread that is created for the first job and exits when no job is left. If the system
/// has no thread left, the caller runs the jobs. The loops of a simulated host use a thread of that host.
final class FallbackExecutor: Sendable {
    private struct Queue {
        var jobs = FIFO<UnownedJob>()
        var phase = Phase.held
    }

    private enum Phase {
        /// Jobs wait until the loop has released everything that it retains. They run as the loop's work, so they must
        /// not use connections and sockets that the loop's thread is closing.
        case held
        case idle
        /// A thread runs the jobs.
        case draining
        /// The process of the simulated host has ended, so no job runs.
        case ended
    }

    private let identity: LoopIdentity
    private let name: String
    /// The threads of the simulated host. nil for the real system.
    private let threads: (any SimulatedThreads)?
    private let queue = Lock(Queue())

    init(_ identity: LoopIdentity, name: String, threads: (any SimulatedThreads)? = nil) {
        self.identity = identity
        self.name = name
        self.threads = threads
    }

    func enqueue(_ job: UnownedJob) {
        let mustStart = queue.withLock { queue in
            if queue.phase == .ended { return false }
            queue.jobs.append(job)
            guard queue.phase == .idle else { return false }
            queue.phase = .draining
            return true
        }
        if mustStart { start() }
    }

    /// Lets the jobs run. The loop calls it once, when it has released everything that it retains.
    ///
    /// - Parameter earlier: The jobs that the loop has left. They precede those that were enqueued here.
    func begin(with earlier: [UnownedJob] = []) {
        let mustStart = queue.withLock { queue in
            guard queue.phase == .held else { return false }
            let later = queue.jobs.takeAll()
            queue.jobs.append(contentsOf: earlier)
            queue.jobs.append(contentsOf: later)
            queue.phase = queue.jobs.isEmpty ? .idle : .draining
            return queue.phase == .draining
        }
        if mustStart { start() }
    }

    private func start() {
        if let threads { return threads.start("\(name)-after") { [self] in drain() } }
        do { try SystemThread.detach(name: "\(name)-after") { [self] in drain() } } catch { drain() }
    }

    /// Drops all jobs, now and later, because the process of the simulated host has ended. Their tasks never continue.
    func end() {
        queue.withLock { queue in
            queue.phase = .ended
            queue.jobs = FIFO()
        }
    }

    private func drain() {
        while let job = next() { identity.mark.run { identity.run(job) } }
    }

    private func next() -> UnownedJob? {
        queue.withLock { queue in
            let job = queue.jobs.popFirst()
            if job == nil, queue.phase == .draining { queue.phase = .idle }
            return job
        }
    }
}
