// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The state that a pool's threads share: the work that has not begun, and the idle threads.
///
/// Unstarted work retains the pool, and so does a thread while it runs a job. So the pool is not released while there
/// is work. When it is released, the queue closes and the threads end.
final class WorkerQueue: Sendable {
    private struct State {
        /// Unstarted work by number. The next job to begin has the lowest number, which is at least `head`.
        var unstarted: [UInt64: Unstarted] = [:]
        var head: UInt64 = 0
        var tail: UInt64 = 0
        /// Idle threads, the longest idle first.
        var idle: [ParkingSpot] = []
        /// All threads, including those that are being started.
        var threadCount = 0
        /// Threads that were requested from the system and have not begun.
        var startingCount = 0
        var isOver = false

        /// Whether work waits and no thread has begun.
        var isStalled: Bool { threadCount == startingCount && !unstarted.isEmpty }

        mutating func popFirst() -> Unstarted? {
            if unstarted.isEmpty { head = tail }
            while head < tail {
                defer { head += 1 }
                if let first = unstarted.removeValue(forKey: head) { return first }
            }
            return nil
        }
    }

    private struct Unstarted {
        let work: ScheduledWork
        let pool: WorkerPool
    }

    private enum Step {
        case run(Unstarted)
        case wait
        case end
    }

    private let name: String
    private let limit: Int
    private let idleTime: Int64
    private let state = Lock(State())
    /// The process that the threads belong to.
    private let generation = ForkGeneration.current

    init(_ name: String, limit: Int, idleTime: Duration) {
        self.name = name
        self.limit = limit
        self.idleTime = idleTime.saturatedNanoseconds
    }

    /// Whether the queue is closed. In a forked child, the parent's queue counts as closed.
    var isOver: Bool { generation != ForkGeneration.current || state.withLock { $0.isOver } }

    /// The number of threads, for tests.
    var threadCount: Int { state.withLock { $0.threadCount } }

    /// Appends work, and starts a thread if one is needed.
    ///
    /// - Returns: The number of the work, for ``remove(_:)``. If the system refused to create a thread and the work
    ///   waits, also the error number; the next addition tries again. `nil` if the queue is closed or belongs to the
    ///   parent process: the work is dropped.
    func add(_ work: ScheduledWork, for pool: WorkerPool) -> (number: UInt64, errno: Int32?)? {
        // The threads exist only in the parent. If one of them held this lock during the fork, it is never unlocked
        // here.
        if generation != ForkGeneration.current { return nil }
        let added = state.withLock { state -> (number: UInt64, idle: ParkingSpot?, needsThread: Bool)? in
            if state.isOver { return nil }
            let number = state.tail
            state.tail += 1
            state.unstarted[number] = Unstarted(work: work, pool: pool)
            if let spot = state.idle.popLast() { return (number, spot, false) }
            guard state.threadCount < limit else { return (number, nil, false) }
            state.threadCount += 1
            state.startingCount += 1
            return (number, nil, true)
        }
        guard let added else { return nil }
        added.idle?.unpark()
        return (added.number, added.needsThread ? startThread() : nil)
    }

    /// Removes disposed work.
    func remove(_ number: UInt64) {
        if generation != ForkGeneration.current { return }
        // Returned from the closure, so it is released outside the lock (law 3).
        _ = state.withLock { $0.unstarted.removeValue(forKey: number) }
    }

    /// Drops the work that has not begun, and ends the threads as they become idle.
    func close() {
        if generation != ForkGeneration.current { return }
        let (left, idle) = state.withLock { state in
            defer {
                state.isOver = true
                state.unstarted = [:]
                state.idle = []
            }
            return (state.unstarted, state.idle)
        }
        for spot in idle { spot.unpark() }
        for (_, unstarted) in left { unstarted.work.dispose() }
    }

    /// Starts a thread. Returns the error number if the system refuses while work waits and no thread has begun.
    /// Otherwise returns `nil`.
    ///
    /// A thread that another caller is starting does not count: the system may refuse that one too, and only that
    /// caller receives the error.
    private func startThread() -> Int32? {
        do {
            try SystemThread.detachWorker(name: name) { [self] in work() }
            return nil
        } catch {
            let isStalled = state.withLock { state in
                state.threadCount -= 1
                state.startingCount -= 1
                return state.isStalled
            }
            return isStalled ? error.errno : nil
        }
    }

    /// The body of each thread.
    private func work() {
        state.withLock { $0.startingCount -= 1 }
        let spot = ParkingSpot()
        while true {
            switch next(spot) {
            case .run(let unstarted): unstarted.pool.mark.run { unstarted.work.run() }
            case .end: return
            case .wait:
                if spot.park(nanoseconds: idleTime) { continue }
                if leave(spot) { return }
                // Another thread has chosen this one for a job, or the queue has closed. An unpark follows.
                spot.park()
            }
        }
    }

    private func next(_ spot: ParkingSpot) -> Step {
        state.withLock { state in
            if let first = state.popFirst() { return .run(first) }
            if state.isOver {
                state.threadCount -= 1
                return .end
            }
            state.idle.append(spot)
            return .wait
        }
    }

    /// Returns whether the thread may end, because no other thread has chosen it for a job.
    private func leave(_ spot: ParkingSpot) -> Bool {
        state.withLock { state in
            guard let index = state.idle.firstIndex(where: { $0 === spot }) else { return false }
            state.idle.remove(at: index)
            state.threadCount -= 1
            return true
        }
    }
}
