// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSupport
import SchedulerConformance

/// Generates programs from a seed. They are small, with few instants and few descriptors, so that events coincide.
package struct ProgramGenerator {
    private var random: SplitMix64
    private var nextID = 0
    private var ends = 0

    package init(seed: UInt64) { random = SplitMix64(seed: seed) }

    package mutating func program() -> Program {
        nextID = 0
        let channels: [Program.Channel] = (0..<below(4)).map { _ in chance(3) ? .pipe : .sockets }
        ends = channels.count * 2
        let phases = (0..<(1 + below(3))).map { _ in
            Program.Phase(steps(1 + below(7), depth: 0), drive())
        }
        let arrivals = (0..<below(4)).map { _ in
            Program.Arrival(at: SimulatedTime.origin + Int64(below(60)), steps(1 + below(2), depth: 2))
        }
        return Program(channels: channels, phases: phases, arrivals: arrivals.sorted { $0.time < $1.time })
    }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    /// True once in `times` calls, on average.
    private mutating func chance(_ times: Int) -> Bool { below(times) == 0 }

    private mutating func any<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

    private mutating func newID() -> Int {
        defer { nextID += 1 }
        return nextID
    }

    /// The number of a step that exists or is about to.
    private mutating func knownID() -> Int { below(nextID + 2) }

    private mutating func drive() -> Drive {
        any(of: [.untilIdle, .untilIdle, .untilIdle, .untilStopped, .waiting, .polling])
    }

    private mutating func steps(_ count: Int, depth: Int) -> [Step] {
        (0..<count).map { _ in step(depth: depth) }
    }

    private mutating func body(_ depth: Int) -> [Step] {
        depth >= 3 ? [] : steps(below(4 - depth), depth: depth + 1)
    }

    private mutating func timing() -> Step.Timing {
        Step.Timing(
            after: chance(60) ? .max : any(of: [-5, 0, 0, 1, 2, 5, 10, 10, 20, 50, 1000]),
            leeway: chance(5) ? any(of: [-1, 3, 16, 100]) : 0,
            keepsLoopAlive: !chance(8)
        )
    }

    private mutating func interest() -> Readiness { any(of: [.read, .read, .read, .write, [.read, .write], []]) }

    private mutating func step(depth: Int) -> Step {
        if ends > 0, chance(2) { return descriptorStep(depth) }
        switch below(20) {
        case 0...3: return .task(newID(), body(depth))
        case 4, 5: return .scheduled(newID(), body(depth))
        case 6...8: return .timer(newID(), timing(), body(depth))
        case 9, 10:
            let interval: Int64 = any(of: [-1, 0, 1, 3, 10, 10, 25])
            return .repeating(
                newID(),
                timing(),
                every: interval,
                chance(2) ? .rate : .delay,
                times: 1 + below(4),
                body(depth + 1)
            )
        case 11...13: return .cancel(knownID())
        case 14: return .keepsLoopAlive(knownID(), chance(2))
        case 15: return .spend(any(of: [1, 5, 12, 40]))
        case 16, 17: return depth < 3 ? .hop(steps(1 + below(2), depth: depth + 1)) : .task(newID(), [])
        case 18: return .stop
        default:
            if chance(6) { return .dispose }
            return chance(3) ? .run(drive()) : .task(newID(), body(depth))
        }
    }

    private mutating func descriptorStep(_ depth: Int) -> Step {
        let end = below(ends)
        switch below(16) {
        case 0...4:
            return .watch(newID(), end: end, interest(), calls: 1 + below(3), reads: below(3) * 4, body(depth))
        case 5: return .interest(knownID(), interest())
        case 6...9: return .write(end: end, 1 + below(9))
        case 10: return .read(end: end, 1 + below(9))
        case 11: return .fill(end: end)
        case 12: return .shut(end: end)
        case 13: return .close(end: end)
        case 14: return .renew(channel: end / 2)
        default: return .cancel(knownID())
        }
    }
}
