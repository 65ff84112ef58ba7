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

    /// Starts such a program on each of four hosts. Each is small, so a world has many chances for a rare order.
    static func startFour(in world: World) {
        for number in 0..<4 { MainLoopProgram("host \(number)", in: world).start() }
    }

    private init(_ name: String, in world: World) {
        self.world = world
        host = world.host(name)
        // A host runs only after its first start.
        host.start { _ in }
    }

    /// Starts the main thread, one or two other threads, and up to eight steps of each. Few threads and steps make a
    /// seed likely to meet a defect that needs several stops.
    private func start() {
        var choice = world.random
        let threads = Int.random(in: 1...2, using: &choice)
        let steps = Int.random(in: 1...8, using: &choice)
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
        // A queue that has served a call watches the loop permanently.
        let servesBetween = random.below(4) == 0
        for _ in 0..<random.below(8) {
            switch random.below(4) {
            case 0: if servesBetween { queue.serve() }
            case 1: _ = try loop.runOnce(waiting: false)
            case 2: try loop.runUntilIdle()
            default: try host.yield()
            }
            if random.below(2) == 0 { try host.yield() }
        }
        // The queue must run what is left.
        while true {
            // Threads that end during the wait may leave work to the queue.
            let haveEnded = counts.withLock { counts in counts.active == 0 }
            let isDue = queue.wait(.seconds(2)) { [self] in isDone }
            if isDone { return }
            if haveEnded, !isDue { break }
            queue.serve()
            try host.yield()
        }
        let counts = counts.withLock { counts in counts }
        world.check(false, "the main queue ran \(counts.ran) of \(counts.submitted) jobs: a wake-up was lost")
    }

    /// Whether the threads have ended and their work has run.
    private var isDone: Bool {
        counts.withLockAtOnce { counts in counts.active == 0 && counts.ran == counts.submitted }
    }

    private func submit(_ steps: Int, to loop: SimulatedLoop, _ seed: UInt64) throws {
        var random = SimulationRandom(seed: seed)
        // The main queue watches a loop with timers permanently, and is then not called any more.
        let usesTimers = random.below(4) == 0
        for _ in 0..<steps {
            if random.below(2) == 0 { try host.yield() }
            counts.withLock { counts in counts.submitted += 1 }
            if usesTimers, random.below(3) == 0 {
                loop.schedule(after: .microseconds(random.below(500))) { [self] in ran() }
            } else {
                loop.execute { [self] in ran() }
            }
        }
        counts.withLock { counts in counts.active -= 1 }
    }

    private func ran() { counts.withLock { counts in counts.ran += 1 } }
}

@Suite(.enabled(if: YieldPoint.isInLocks, "needs the trait Simulation"))
struct MainLoopInterleavings {
    @Test("A main loop between its own runs and its queue loses no wake-up", arguments: Interleaving.exploredBriefly)
    func mainLoop(_ interleaving: Interleaving) throws {
        try Simulation.explore(seeds: Interleaving.seeds) { world in
            world.interleaving = interleaving
            MainLoopProgram.startFour(in: world)
            try world.runUntilIdle(limit: .seconds(60))
            try world.run(for: .zero)
        }
    }

    @Test("Threads that act on a guest lose no work and no timer", arguments: Interleaving.explored)
    func guest(_ interleaving: Interleaving) throws {
        try Simulation.explore(seeds: Interleaving.seeds) { world in
            world.interleaving = interleaving
            let program = EngineProgram(in: world)
            program.start(threads: 3, steps: 20, asGuest: true)
            try world.runUntilIdle(limit: .seconds(60))
            program.check()
            try world.run(for: .zero)
        }
    }
}

@Suite struct MainLoopTests {
    @Test("A thread of a host runs a loop itself, while other threads submit work")
    func ownRuns() throws {
        try Simulation.explore(seeds: 1...50) { world in
            MainLoopProgram.startFour(in: world)
            try world.runUntilIdle(limit: .seconds(60))
            try world.run(for: .zero)
        }
    }
}
