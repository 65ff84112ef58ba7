// SPDX-License-Identifier: MIT
extension Program {
    /// Returns the smallest program found by cutting for which `isWanted` holds. It must hold for this program.
    package func smallest(where isWanted: (Program) throws -> Bool) rethrows -> Program {
        var smallest = self
        while let smaller = try smallest.smaller.first(where: isWanted) { smallest = smaller }
        return smallest
    }

    /// Slightly smaller programs, the largest cuts first.
    var smaller: [Program] {
        var candidates: [Program] = []
        for index in phases.indices where phases.count > 1 {
            candidates.append(changed { $0.phases.remove(at: index) })
        }
        for index in arrivals.indices { candidates.append(changed { $0.arrivals.remove(at: index) }) }
        for index in phases.indices {
            for steps in phases[index].steps.smallerLists {
                candidates.append(changed { $0.phases[index].steps = steps })
            }
            if phases[index].drive != .untilIdle { candidates.append(changed { $0.phases[index].drive = .untilIdle }) }
        }
        for index in arrivals.indices {
            for steps in arrivals[index].steps.smallerLists where !steps.isEmpty {
                candidates.append(changed { $0.arrivals[index].steps = steps })
            }
        }
        return candidates
    }

    private func changed(_ change: (inout Program) -> Void) -> Program {
        var copy = self
        change(&copy)
        return copy
    }
}

extension [Step] {
    /// The list without one step, with a step replaced by its body, or with a simpler step.
    var smallerLists: [[Step]] {
        indices.flatMap { index -> [[Step]] in
            var lists = [changed { $0.remove(at: index) }]
            let step = self[index]
            if let body = step.body {
                if !body.isEmpty { lists.append(changed { $0.replaceSubrange(index...index, with: body) }) }
                lists += body.smallerLists.map { smaller in changed { $0[index] = step.with(smaller) } }
            }
            return lists + step.simpler.map { simpler in changed { $0[index] = simpler } }
        }
    }

    private func changed(_ change: (inout [Step]) -> Void) -> [Step] {
        var copy = self
        change(&copy)
        return copy
    }
}

extension Step {
    /// The same kind of step with fewer details. Every chain of simplifications ends.
    fileprivate var simpler: [Step] {
        switch self {
        case .scheduled(let id, let body): return [.task(id, body)]
        case .timer(let id, let timing, let body):
            return timing.simpler.map { .timer(id, $0, body) }
        case .repeating(let id, let timing, let interval, let base, let times, let body):
            let fewer: [Step] =
                times > 1 ? [.repeating(id, timing, every: interval, base, times: times - 1, body)] : []
            let others = timing.simpler.map { Step.repeating(id, $0, every: interval, base, times: times, body) }
            return [.timer(id, timing, body)] + fewer + others
        case .watch(let id, let end, let interest, let calls, let reads, let body):
            let fewer: [Step] =
                calls > 1 ? [.watch(id, end: end, interest, calls: calls - 1, reads: reads, body)] : []
            let unread: [Step] =
                reads > 0 ? [.watch(id, end: end, interest, calls: calls, reads: 0, body)] : []
            return fewer + unread
        case .write(let end, let count) where count > 1: return [.write(end: end, 1)]
        case .fill(let end): return [.write(end: end, 1)]
        case .spend(let time) where time > 1: return [.spend(1)]
        default: return []
        }
    }
}

extension Step.Timing {
    fileprivate var simpler: [Step.Timing] {
        var candidates: [Step.Timing] = []
        if after != 0 { candidates.append(Step.Timing(after: 0, leeway: leeway, keepsLoopAlive: keepsLoopAlive)) }
        if leeway != 0 { candidates.append(Step.Timing(after: after, keepsLoopAlive: keepsLoopAlive)) }
        if !keepsLoopAlive { candidates.append(Step.Timing(after: after, leeway: leeway)) }
        return candidates
    }
}
