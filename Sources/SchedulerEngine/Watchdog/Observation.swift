// SPDX-License-Identifier: MIT
import CReactive
import ReactiveCore
import ReactiveSupport
import Synchronization

/// The work of a watchdog's thread.
///
/// Only the thread retains the handlers, so they are released when it ends. A handler may retain the watchdog.
final class Observation: Sendable {
    struct Handlers: Sendable {
        let report: @Sendable (BlockedTurn) -> Void
        let ended: (@Sendable (BlockedTurn) -> Void)?
    }

    /// A delay that is common on a machine with too many threads, in nanoseconds.
    private static let latest: Int64 = 50_000_000

    private let limit: Int64
    private let interval: Int64
    private let isDisposed = Atomic<Bool>(false)
    private let spot = ParkingSpot()
    private let forkGeneration = ThreadIdentity.forkGeneration

    init(limit: Int64) {
        self.limit = limit
        interval = min(max(limit / 8, 500_000), 1_000_000_000)
    }

    var isOver: Bool { isDisposed.load(ordering: .acquiring) || isForked }

    private var isForked: Bool { forkGeneration != ThreadIdentity.forkGeneration }

    /// Starts the thread.
    func start(_ cores: [LoopCore], _ handlers: Handlers) throws(LoopError) {
        // Later, the thread must not wait for a loop that is loading a library.
        ThreadStack.prepare()
        let loops = cores.map { WatchedLoop($0) }
        do {
            // A thread of the real system, even if the caller is code of a simulated process.
            try SimulatedProcess.runWithout { () throws(SystemThread.Refusal) in
                try SystemThread.detachWorker(name: "watchdog") { [self] in
                    observe(loops, handlers)
                    isDisposed.store(true, ordering: .releasing)
                }
            }
        } catch {
            for loop in loops { loop.leave() }
            throw LoopError.system("cannot create the thread of a watchdog: pthread_create", error.errno)
        }
    }

    func end() {
        // In a forked child there is no thread to wake, and a thread of the parent may have locked the spot.
        if isForked { return }
        isDisposed.store(true, ordering: .releasing)
        spot.unpark()
    }

    private func observe(_ loops: [WatchedLoop], _ handlers: Handlers) {
        var loops = loops
        var last = reactive_monotonic_ns()
        // The time that the handlers took, within reason. It counts, because the loops continued.
        var handling: Int64 = 0
        defer { for loop in loops { loop.leave() } }
        while !loops.isEmpty, !isOver {
            _ = spot.park(nanoseconds: interval)
            if isOver { return }
            let now = reactive_monotonic_ns()
            let (elapsed, planned) = (now - last, interval + handling)
            // If this thread was very late, the process or the machine was stopped, and the loops were, too. A shorter
            // stop counts as one interval.
            if elapsed > planned + max(limit / 2, Self.latest) {
                for index in loops.indices { loops[index].startOver() }
            } else {
                observe(&loops, handlers, counting: min(elapsed, planned))
            }
            loops.removeAll { $0.isGone }
            handling = min(reactive_monotonic_ns() - now, limit)
            last = now
        }
    }

    private func observe(_ loops: inout [WatchedLoop], _ handlers: Handlers, counting interval: Int64) {
        for index in loops.indices {
            guard let (turn, hasEnded) = loops[index].observe(counting: interval, limit: limit) else { continue }
            // The capture of a stack takes time, and a handler may dispose the watchdog.
            if isOver { return }
            if hasEnded { handlers.ended?(turn) } else { handlers.report(turn) }
            if isOver { return }
        }
    }
}
