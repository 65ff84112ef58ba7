import ReactiveSupport

/// Runs the jobs that come for a loop that is over: a dropped job would leave its task waiting for good (rule X7).
///
/// One at a time, on a thread that is made when the first one comes and ends when there is none left. Where the system gives no
/// thread, the caller runs them.
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
