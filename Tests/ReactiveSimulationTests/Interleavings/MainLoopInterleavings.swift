// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport
import SchedulerEngine
import Testing

@testable import ReactiveSimulation

/// The main thread's loop, which its thread runs at times, and the main queue between these runs. Other threads submit
/// work and timers at any moment.
private final class MainLoopProgram: Sendable {
    private struct Counts {
        var submitted = 0
        var ran = 0
        var active = 0
    }

    let world: World
    let host: SimulatedHost
    private let counts = Lock(Counts())

    init(in world: World) {
        self.world = world
        host = world.host("host")
        // A host runs only after its first start.
        host.start { _ in }
    }

    func start(threads: Int, steps: Int) {
        let seeds = (0...threads).map { _ in world.random.next() }
        counts.withLock { counts in counts.active = threads }
        host.startThread("main") { [self] in
            let queue = SimulatedMainQueue(of: host)
            let loop = try host.makeGuest("main", of: queue, isMain: true)
            for number in 0..<threads {
                host.startThread("thread \(number)") { [self] in try submit(steps, to: loop, seeds[number]) }
            }
            try serve(loop, queue, seeds[threads])
            loop.dispose()
        }
    }

    /// Runs the loop some times, and then serves the queue until all work has run.
    private func serve(_ loop: SimulatedLoop, _ queue: SimulatedMainQueue, _ seed: UInt64) throws {
        var random = SimulationRandom(seed: seed)
        let servesBetween = random.below(2) == 0
        for _ in 0..<random.below(6) {
            switch random.below(4) {
            case 0: if servesBetween { queue.serve() }
            case 1: _ = try loop.runOnce(waiting: false)
            case 2: try loop.runUntilIdle()
            default: break
            }
            try host.yield()
        }
        // The queue must run what is left.
        var left = 1_000
        while left > 0 {
            queue.serve()
            try host.yield()
            let counts = counts.withLock { counts in counts }
            if counts.active > 0 { continue }
            if counts.ran == counts.submitted { return }
            left -= 1
        }
        let counts = counts.withLock { counts in counts }
        world.check(false, "the main queue ran \(counts.ran) of \(counts.submitted) jobs: a wake-up was lost")
    }

    private func submit(_ steps: Int, to loop: SimulatedLoop, _ seed: UInt64) throws {
        var random = SimulationRandom(seed: seed)
        // The main queue watches a loop with timers permanently, and is then not called any more.
        let usesTimers = random.below(2) == 0
        for _ in 0..<steps {
            counts.withLock { counts in counts.submitted += 1 }
            if usesTimers, random.below(3) == 0 {
                loop.schedule(after: .microseconds(random.below(500))) { [self] in ran() }
            } else {
                loop.execute { [self] in ran() }
            }
            if random.below(3) == 0 { try host.yield() }
        }
        counts.withLock { counts in counts.active -= 1 }
    }

    private func ran() { counts.withLock { counts in counts.ran += 1 } }
}

@Suite(.enabled(if: YieldPoint.isInLocks, "needs the trait Simulation"))
struct MainLoopInterleavings {
    @Test("A main loop between its own runs and its queue loses no wake-up", arguments: Interleaving.explored)
    func mainLoop(_ interleaving: Interleaving) throws {
        try Simulation.explore(seeds: Interleaving.seeds) { world in
            world.interleaving = interleaving
            let program = MainLoopProgram(in: world)
            program.start(threads: 2, steps: 8)
            try world.runUntilIdle(limit: .seconds(10))
            try world.run(for: .zero)
        }
    }

    @Test("Threads that act on a guest lose no work and no timer", arguments: Interleaving.explored)
    func guest(_ interleaving: Interleaving) throws {
        try Simulation.explore(seeds: Interleaving.seeds) { world in
            world.interleaving = interleaving
            let program = EngineProgram(in: world)
            program.start(threads: 3, steps: 20, asGuest: true)
            try world.runUntilIdle(limit: .seconds(10))
            program.check()
            try world.run(for: .zero)
        }
    }
}

@Suite struct MainLoopTests {
    @Test("A thread of a host runs a loop itself, while other threads submit work")
    func ownRuns() throws {
        try Simulation.explore(seeds: 1...50) { world in
            let program = MainLoopProgram(in: world)
            program.start(threads: 2, steps: 8)
            try world.runUntilIdle(limit: .seconds(10))
            try world.run(for: .zero)
        }
    }
}
