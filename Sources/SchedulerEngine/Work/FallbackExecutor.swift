// SPDX-License-Identifier: MIT
import ReactiveSupport

/// Runs the jobs that are enqueued on a disposed loop. A dropped job would leave its task waiting forever (rule X7).
///
/// Jobs run one at a time, on a thread that is created for the first job and exits when no job is left. If the system
/// has no thread left, the caller runs the jobs.
final class FallbackExecutor: Sendable {
    private struct Queue {
        var jobs = FIFO<UnownedJob>()
        var isDraining = false
    }

    private let identity: LoopIdentity
    private let name: String
    private let queue = Lock(Queue())

    init(_ identity: LoopIdentity, name: String) {
        self.identity = identity
        self.name = name
    }

    func enqueue(_ job: UnownedJob) {
        let mustStart = queue.withLock { queue in
            queue.jobs.append(job)
            defer { queue.isDraining = true }
            return !queue.isDraining
        }
        guard mustStart else { return }
        do { try SystemThread.detach(name: "\(name)-after") { [self] in drain() } } catch { drain() }
    }

    private func drain() {
        while let job = next() { identity.mark.run { identity.run(job) } }
    }

    private func next() -> UnownedJob? {
        queue.withLock { queue in
            let job = queue.jobs.popFirst()
            if job == nil { queue.isDraining = false }
            return job
        }
    }
}
