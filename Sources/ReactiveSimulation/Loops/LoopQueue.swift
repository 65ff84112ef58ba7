// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

/// The loops of a world, and those that have something to do.
///
/// The world's thread takes loops. Any thread may mark a loop as ready.
final class LoopQueue: Sendable {
    private struct State {
        var random: SimulationRandom
        var all: [HostedLoop] = []
        /// The loops to run now. A loop is at most once in it, because ``HostedLoop/isQueued`` guards the append.
        var ready: [HostedLoop] = []
    }

    private let state: Lock<State>

    init(seed: UInt64) { state = Lock(State(random: SimulationRandom(seed: seed))) }

    func add(_ loop: HostedLoop) { state.withLockAtOnce { state in state.all.append(loop) } }

    func remove(_ loop: HostedLoop) {
        state.withLockAtOnce { state in
            state.all.removeAll { $0 === loop }
            state.ready.removeAll { $0 === loop }
        }
    }

    /// Appends a loop, unless it is in the queue already.
    func append(_ loop: HostedLoop) {
        if loop.isQueued.exchange(true, ordering: .acquiringAndReleasing) { return }
        state.withLockAtOnce { state in state.ready.append(loop) }
    }

    var isEmpty: Bool { state.withLockAtOnce { state in state.ready.isEmpty } }

    /// Takes a random loop of the queue that may run. The seed decides which.
    func takeNext(where mayRun: (HostedLoop) -> Bool) -> HostedLoop? {
        let loop: HostedLoop? = state.withLockAtOnce { state in
            let candidates = state.ready.indices.filter { mayRun(state.ready[$0]) }
            if candidates.isEmpty { return nil }
            let index = candidates.count == 1 ? 0 : state.random.below(candidates.count)
            return state.ready.remove(at: candidates[index])
        }
        loop?.isQueued.store(false, ordering: .releasing)
        return loop
    }

    /// The loops in the queue that may run.
    func ready(at now: LoopInstant) -> [HostedLoop] {
        state.withLockAtOnce { state in state.ready.filter { $0.mayRun(at: now) } }
    }

    /// Takes a loop out of the queue.
    func take(_ loop: HostedLoop) {
        state.withLockAtOnce { state in state.ready.removeAll { $0 === loop } }
        loop.isQueued.store(false, ordering: .releasing)
    }

    /// The next deadline of a loop that is not queued, in the world's time.
    var nextDeadline: LoopInstant? {
        state.withLockAtOnce { state in
            state.all.lazy.filter { !$0.isQueued.load(ordering: .relaxed) }.compactMap(\.deadline).min()
        }
    }

    /// Queues the loops whose deadline has been reached.
    func queueDue(at now: LoopInstant) {
        let due = state.withLockAtOnce { state in state.all.filter { loop in loop.deadline.map { $0 <= now } ?? false }
        }
        for loop in due { append(loop) }
    }

    /// A random number below `bound`.
    func random(below bound: Int) -> Int { state.withLockAtOnce { state in state.random.below(bound) } }

    /// The loops whose turn runs, as text. The watchdog calls it.
    var inTurn: [String] {
        state.withLockAtOnce { state in
            state.all.filter { $0.isInTurn.load(ordering: .relaxed) }.map { "loop \($0.name) on host \($0.host.name)" }
        }
    }

    /// The loops that still have something to do, as text.
    var activity: [String] {
        state.withLockAtOnce { state in
            state.all.compactMap { loop in
                if state.ready.contains(where: { $0 === loop }) { return "loop \(loop.name) has work" }
                return loop.deadline == nil ? nil : "loop \(loop.name) has a timer"
            }
        }
    }
}
