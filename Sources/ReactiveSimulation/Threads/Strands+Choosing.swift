// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import Synchronization

/// Which strand runs next, and for how long.
extension Strands {
    /// What the world does next.
    enum Choice {
        case turn(HostedLoop)
        case strand(Strand)
    }

    /// Chooses among the strands that can run and, with ``Interleaving/wholeTurns``, the ready loops.
    ///
    /// - Parameter isLate: Whether nothing else is due, so waiting strands must check their condition again.
    func choose(_ loops: LoopQueue, at now: LoopInstant, isLate: Bool) -> Choice? {
        let isWhole = interleaving == .wholeTurns
        let ready = isWhole ? loops.ready(at: now) : []
        let strand: Strand?? = state.withLockAtOnce { state in
            state.all.removeAll { $0.isFinishedFunction }
            if isLate {
                state.lateSteps += 1
                for strand in state.all { strand.isWaiting = false }
            }
            let able = state.all.filter { strand in
                if isWhole, strand.isAtTurn { return false }
                // The running strand called this method, because its code runs the world.
                return strand !== state.running && strand.canRun(at: now)
            }
            if able.isEmpty { return ready.isEmpty ? .none : .some(nil) }
            if case .pct = state.interleaving.policy {
                let host = able[state.random.below(able.count)].host
                return able.filter { $0.host === host }.max { $0.priority < $1.priority }
            }
            let place = state.random.below(able.count + ready.count)
            return place < able.count ? able[place] : .some(nil)
        }
        switch strand {
        case nil: return nil
        case .some(nil): return loops.takeNext { $0.mayRun(at: now) }.map { .turn($0) }
        case .some(let strand?):
            if case .loop(let loop) = strand.work, strand.phase == .outside { loops.take(loop) }
            return .strand(strand)
        }
    }

    /// When the next stall ends after an instant, or nil.
    func nextInstant(after now: LoopInstant) -> LoopInstant? {
        if !isActive.load(ordering: .relaxed) { return nil }
        return state.withLockAtOnce { state in
            let instants = state.all.lazy.flatMap { strand in
                strand.phase == .over ? [] : [strand.stalledUntil, strand.wait?.deadline].compactMap { $0 }
            }
            return instants.filter { $0 > now && $0 != .distantFuture }.min()
        }
    }

    /// Whether waiting strands have been resumed many times without any other progress.
    var isDeadlocked: Bool {
        state.withLockAtOnce { state in state.lateSteps > 4 * state.all.count + 16 }
    }

    /// The strands that are in the middle of their work, and those that have not begun it.
    var unfinished: [Strand] {
        state.withLockAtOnce { state in
            state.all.filter { $0.isLoop ? $0.phase == .inside : $0.phase != .over }
        }
    }
}

extension Strands.State {
    /// A stall lasts at most 1 µs times a power of two below this exponent: about a second.
    private static let stallExponents = 21

    /// Lets the threads of a host check again what they wait for, because another thread may have changed it.
    mutating func wakeWaiting(of host: SimulatedHost) {
        for strand in all where strand.isWaiting && strand.host === host { strand.isWaiting = false }
    }

    /// Counts a yield point. Returns whether the running strand stops at it.
    mutating func passes(_ kind: YieldPoint.Kind, at now: LoopInstant) -> Bool {
        guard let running else { return false }
        points += 1
        // A thread that lets others run continues up to 20 µs later, so time passes for one that waits in a loop.
        if kind == .yield { running.stalledUntil = now.advanced(byNanoseconds: Int64(1 + random.below(20_000))) }
        if kind == .wait {
            running.isWaiting = true
        } else {
            wakeWaiting(of: running.host)
        }
        let isStopped = kind != .step || stopsSoon || (!isDraining && mustStop(running, at: now))
        stopsSoon = false
        if isStopped { stops += 1 }
        running.isStopped = isStopped
        return isStopped
    }

    private mutating func mustStop(_ running: Strand, at now: LoopInstant) -> Bool {
        switch interleaving.policy {
        case .wholeTurns: return false
        case .random(let probability):
            guard random.happens(probability), hasOthers(running) else { return false }
            if random.below(4) == 0 { stall(running, at: now) }
            return true
        case .pct:
            if changePoints.contains(points) {
                lowestPriority -= 1
                running.priority = lowestPriority
                stall(running, at: now)
                return true
            }
            return all.contains { strand in
                strand.host === running.host && strand.priority > running.priority && strand.canRun(at: now)
            }
        }
    }

    /// Stops a strand for some time. The duration is distributed logarithmically.
    private mutating func stall(_ strand: Strand, at now: LoopInstant) {
        let longest = 1_000 << random.below(Self.stallExponents)
        strand.stalledUntil = now.advanced(byNanoseconds: Int64(1 + random.below(longest)))
    }

    private func hasOthers(_ running: Strand) -> Bool {
        all.contains { $0.host === running.host && $0 !== running && $0.phase != .over }
    }
}
