import ReactiveCore
import ReactiveSupport

/// What a pool's threads share: the work that has not begun, and who waits for some.
///
/// The pool is held by its unstarted work, and by a thread while it runs a piece; so it lives as long as there is anything
/// to do, and when it goes the queue is closed and the threads end.
final class WorkerQueue: Sendable {
    private struct State {
        /// Unstarted work by its number, in the order of numbers; the next one to begin is the first from `head` on.
        var unstarted: [UInt64: Unstarted] = [:]
        var head: UInt64 = 0
        var tail: UInt64 = 0
        /// Threads with nothing to do, the longest idle first.
        var idle: [ParkingSpot] = []
        /// All threads, those that are being started included.
        var threadCount = 0
        /// Threads that the system has been asked for and that have not begun.
        var startingCount = 0
        var isOver = false

        /// Whether work waits and no thread has begun that could take it.
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

    private enum Wanted {
        case nothing
        case thread
        case idle(ParkingSpot)
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
    /// The process whose threads they are.
    private let generation = ForkGeneration.current

    init(_ name: String, limit: Int, idleTime: Duration) {
        self.name = name
        self.limit = limit
        self.idleTime = idleTime.saturatedNanoseconds
    }

    /// In a forked child the parent's queue is over: it takes no work.
    var isOver: Bool { generation != ForkGeneration.current || state.withLock { $0.isOver } }

    /// How many threads there are; for tests.
    var threadCount: Int { state.withLock { $0.threadCount } }

    /// What came of adding work.
    enum Addition {
        /// A thread will take it; by this number it can be removed.
        case queued(UInt64)
        /// The same, but there is no thread, and the system gave none, with this error number. The next addition tries again.
        case stalled(UInt64, errno: Int32)
        /// The queue is closed, or the parent process's: the work is dropped.
        case refused
    }

    /// Puts work at the end, and starts a thread where one is needed.
    func add(_ work: ScheduledWork, for pool: WorkerPool) -> Addition {
        // The threads stayed in the parent, and one of them may hold the lock here for good.
        if generation != ForkGeneration.current { return .refused }
        let added = state.withLock { state -> (number: UInt64, wanted: Wanted)? in
            if state.isOver { return nil }
            let number = state.tail
            state.tail += 1
            state.unstarted[number] = Unstarted(work: work, pool: pool)
            if let spot = state.idle.popLast() { return (number, .idle(spot)) }
            guard state.threadCount < limit else { return (number, .nothing) }
            state.threadCount += 1
            state.startingCount += 1
            return (number, .thread)
        }
        guard let added else { return .refused }
        switch added.wanted {
        case .idle(let spot): spot.unpark()
        case .nothing: break
        case .thread: if let errno = startThread() { return .stalled(added.number, errno: errno) }
        }
        return .queued(added.number)
    }

    /// Takes work out that has been disposed.
    func remove(_ number: UInt64) {
        if generation != ForkGeneration.current { return }
        // Part of the result, so that it is released outside the lock (law 3).
        _ = state.withLock { $0.unstarted.removeValue(forKey: number) }
    }

    /// Lets go of what has not begun, and of the threads.
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

    /// Nil where there is a thread, a new one or another that gets to it; else the error number.
    ///
    /// A thread that another caller is starting does not count: the system may refuse that one too, and only its caller would be told.
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

    /// What a thread does.
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
                // Somebody has chosen this thread in the meantime, and is about to say so.
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

    /// Whether the thread may end, because nobody has chosen it.
    private func leave(_ spot: ParkingSpot) -> Bool {
        state.withLock { state in
            guard let index = state.idle.firstIndex(where: { $0 === spot }) else { return false }
            state.idle.remove(at: index)
            state.threadCount -= 1
            return true
        }
    }
}
