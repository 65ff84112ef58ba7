// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSupport
import SchedulerEngine
import Testing

@testable import ReactiveSimulation

/// Threads of a simulated host beside its loops.
@Suite struct ThreadTests {
    @Test("A thread runs between turns, and waits for work of a loop")
    func waits() throws {
        try Simulation.explore(seeds: 1...20) { world in
            let host = world.host("host")
            let steps = SharedValue<[String]>([])
            let loop = SharedValue<SimulatedLoop?>(nil)
            host.start { own in loop.update { $0 = own } }
            host.startThread("thread") {
                while loop.value == nil { try host.yield() }
                steps.update { $0.append("posts") }
                loop.value?.schedule(after: .milliseconds(5)) { steps.update { $0.append("fires") } }
                while steps.value.count < 2 { try host.yield() }
                steps.update { $0.append("ends") }
            }
            try world.run(for: .seconds(1))
            #expect(steps.value == ["posts", "fires", "ends"])
            #expect(world.now == .seconds(1))
        }
    }

    @Test("An error of a thread is a failure of the world")
    func failure() throws {
        let failure = #expect(throws: SimulationFailure.self) {
            try Simulation.run(seed: 1) { world in
                world.host("host").startThread("thread") { throw Violation("a thread fails") }
                try world.run(for: .seconds(1))
            }
        }
        #expect(failure?.host == "host")
        #expect("\(failure.map(\.error) as Any)".contains("a thread fails"))
    }

    @Test("When its process ends, a thread that waits ends too", arguments: [true, false])
    func processEnds(crashes: Bool) throws {
        try Simulation.run(seed: 1) { world in
            let host = world.host("host")
            let end = SharedValue<SimulationError.Code?>(nil)
            host.start { loop in loop }
            host.startThread("thread") {
                do {
                    while true { try host.yield() }
                } catch let error as SimulationError {
                    end.update { $0 = error.code }
                }
            }
            try world.run(for: .milliseconds(10))
            #expect(end.value == nil)
            if crashes { host.crash() } else { host.exit() }
            #expect(end.value == .processEnded)
            host.restart()
            try world.run(for: .milliseconds(10))
        }
    }

    @Test("A thread that never ran is released with its process")
    func neverRan() throws {
        weak var witness: SharedValue<Int>?
        try Simulation.run(seed: 1) { world in
            let host = world.host("host")
            let value = SharedValue(1)
            witness = value
            host.startThread("thread") { value.update { $0 += 1 } }
            host.exit()
            try world.run(for: .milliseconds(10))
            #expect(value.value == 1)
        }
        #expect(witness == nil)
    }

    @Test("An interleaving needs yield points", .enabled(if: !YieldPoint.isInLocks))
    func noYieldPoints() throws {
        let failure = #expect(throws: SimulationError.self) {
            try Simulation.run(seed: 1) { world in
                world.interleaving = .random(0.5)
                try world.run(for: .seconds(1))
            }
        }
        #expect(failure?.code == .noYieldPoints)
    }

    @Test("Threads that wait for each other fail the world", .enabled(if: YieldPoint.isInLocks))
    func deadlock() throws {
        let failure = #expect(throws: SimulationError.self) {
            try Simulation.explore(seeds: 1...100) { world in
                world.interleaving = .random(0.3)
                let host = world.host("host")
                let locks = Locks()
                host.startThread("one") { locks.first.withLock { _ in locks.second.withLock { _ in } } }
                host.startThread("two") { locks.second.withLock { _ in locks.first.withLock { _ in } } }
                try world.run(for: .seconds(10))
            }
        }
        #expect(failure?.code == .deadlock)
        #expect(failure?.message.contains("host/one, host/two") == true)
    }

    private final class Locks: Sendable {
        let first = Lock(0)
        let second = Lock(0)
    }

    @Test("A turn that fails while the test waits for a thread fails the world", .enabled(if: YieldPoint.isInLocks))
    func failureInWait() throws {
        try Simulation.run(seed: 1) { world in
            world.interleaving = .random(1)
            let host = world.host("host")
            // A thread stops only if its host has another one.
            let loops = try ["first", "second"].map { name in try host.makeLoop(name) }
            while world.strands.unfinished.isEmpty { _ = try world.step(until: world.kernel.now + .seconds(10)) }
            let isFirst = world.strands.unfinished.map(\.name) == ["host/first"]
            // The turn that the world has stopped at its beginning finds that the loop runs.
            let loop = loops[isFirst ? 0 : 1]
            loop.execute { for _ in 0..<100 { YieldPoint.spin() } }
            try host.perform { try loop.runOnce(waiting: false) }
            let failure = #expect(throws: SimulationFailure.self) { try world.run(for: .zero) }
            #expect(failure?.host == "host")
            #expect((failure?.error as? LoopError)?.code == .alreadyRunning)
        }
    }

    @Test("A failed turn does not fail the next one", .enabled(if: YieldPoint.isInLocks))
    func failedTurn() throws {
        try Simulation.run(seed: 1) { world in
            world.interleaving = .random(0)
            let host = world.host("host")
            let loop = try host.makeLoop("loop")
            let event = host.kernel.openEvent()
            let calls = SharedValue(0)
            _ = try loop.watch(event, for: .read) { _ in
                host.kernel.clearEvent(event)
                calls.update { $0 += 1 }
            }
            // The world's turn fails, because the loop runs.
            #expect(throws: LoopError.self) { try host.perform { try loop.runOnce(waiting: true) } }
            host.kernel.signalEvent(event)
            #expect(throws: Never.self) { try world.run(for: .seconds(1)) }
            #expect(calls.value == 1)
        }
    }

    @Test(
        "At the end of its process, a turn that ran another loop ends, and no turn follows",
        .enabled(if: YieldPoint.isInLocks)
    )
    func endsAfterRunning() throws {
        try Simulation.run(seed: 1) { world in
            world.interleaving = .random(0)
            let host = world.host("host")
            let steps = SharedValue<[String]>([])
            host.start { loop in
                loop.execute { steps.update { $0.append("turn") } }
                host.startThread("thread") { steps.update { $0.append("thread") } }
                let other = try host.makeLoop("other", thread: .caller)
                other.schedule(after: .milliseconds(1)) { steps.update { $0.append("timer") } }
                try other.runOnce(waiting: true)
                other.dispose()
                while host.isRunning { try? host.yield() }
                steps.update { $0.append("end") }
            }
            try world.run(for: .milliseconds(10))
            #expect(steps.value == ["thread", "timer"])
            host.exit()
            #expect(steps.value == ["thread", "timer", "end"])
        }
    }

    @Test("The bound of PCT follows from its threads, points and depth")
    func bound() {
        #expect(Interleaving.pct(depth: 1, points: 1_000).bound(threads: 4) == 0.25)
        #expect(Interleaving.pct(depth: 3, points: 10).bound(threads: 2) == 0.005)
        #expect(Interleaving.random().bound(threads: 2) == nil)
    }
}
