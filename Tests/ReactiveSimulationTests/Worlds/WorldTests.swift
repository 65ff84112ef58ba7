// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine
import Testing

@Suite struct WorldTests {
    /// Builds a world of an echo server and two clients.
    private func build(_ world: World, _ count: Int = 20) -> Tally {
        let tally = Tally()
        let server = world.host("server")
        let address = server.address(port: 7000)
        server.start { loop in try EchoService.serve(on: loop, at: address) }
        for name in ["anna", "ben"] {
            world.host(name).start { loop in EchoService.request(count, of: "server", on: loop, tally) }
        }
        return tally
    }

    @Test("An unchanged server and its clients run in a world")
    func echo() throws {
        try Simulation.run(seed: 1) { world in
            let tally = build(world)
            try world.run(for: .seconds(10))
            #expect(tally.echoes.value == 40)
            #expect(tally.clients.value == 2)
            #expect(tally.wrong.value == 0)
        }
    }

    @Test("A seed has one trace, and other seeds have others")
    func determinism() throws {
        func fingerprint(_ seed: UInt64) throws -> UInt64 {
            try Simulation.run(seed: seed) { world in
                _ = build(world)
                world.network.faults = [.loss(probability: 0.01), .partition(every: .seconds(2))]
                try world.run(for: .seconds(30))
                return world.fingerprint
            }
        }
        let first = try fingerprint(7)
        #expect(try fingerprint(7) == first)
        #expect(try fingerprint(8) != first)
    }

    @Test("Clients that reconnect receive every echo despite faults", arguments: 1...40 as ClosedRange<UInt64>)
    func faults(seed: UInt64) throws {
        try Simulation.run(seed: seed) { world in
            let tally = build(world, 50)
            world.network.faults = [
                .latency(.milliseconds(1) ... .milliseconds(200)),
                .reset(probability: 0.01).until(.seconds(60)),
                .refusedConnects(probability: 0.2).until(.seconds(60)),
                .partition(every: .seconds(20)).until(.seconds(60)),
                .pause(every: .seconds(15)).until(.seconds(60)),
                .crash(every: .seconds(60)).on("server").until(.seconds(60)),
                .descriptorExhaustion(every: .seconds(30)).on("server").until(.seconds(60)),
            ]
            try world.run(for: .seconds(600))
            #expect(tally.echoes.value == 100)
            #expect(tally.wrong.value == 0)
        }
    }

    @Test("A crashed host does not answer, and answers again after its restart")
    func crash() throws {
        try Simulation.run(seed: 3) { world in
            let tally = build(world, 100)
            try world.run(for: .seconds(2))
            let before = tally.echoes.value
            #expect(before > 10)
            let server = world.hosts[0]
            server.crash()
            #expect(server.openDescriptors.isEmpty)
            try world.run(for: .seconds(60))
            #expect(tally.echoes.value == before)
            server.restart()
            try world.run(for: .seconds(200))
            #expect(tally.echoes.value == 200)
        }
    }

    @Test("An exited process leaves no socket, and its peers receive the end of stream")
    func exit() throws {
        try Simulation.run(seed: 4) { world in
            let server = world.host("server"), client = world.host("client")
            let address = server.address(port: 7000)
            server.start { loop in try EchoService.serve(on: loop, at: address) }
            let ended = Number()
            client.start { loop in
                Connection.connect(to: address, loop: loop).flatMap(.latest) { $0.received }
                    .subscribe(onValue: { _ in }, onTermination: { _ in ended.increment() })
            }
            try world.run(for: .seconds(1))
            #expect(ended.value == 0)
            server.exit()
            try world.run(for: .seconds(1))
            #expect(ended.value == 1)
            #expect(server.openDescriptors.isEmpty)
        }
    }

    @Test("Tasks and actors run on a loop, in simulated time")
    func tasks() throws {
        try Simulation.run(seed: 5) { world in
            let host = world.host("host")
            let ticks = Number()
            host.startTask { loop in
                for await _ in Signal<Int, Never>.interval(.seconds(1), on: loop).take(10).values { ticks.increment() }
            }
            try world.run(for: .seconds(5.5))
            #expect(ticks.value == 5)
            try world.run(for: .seconds(10))
            #expect(ticks.value == 10)
        }
    }

    @Test("A process signal reaches the handlers of its host only")
    func signals() throws {
        try Simulation.run(seed: 6) { world in
            let received = Number(), others = Number()
            let host = world.host("host")
            host.start { loop in try loop.onSignal(.terminate) { received.increment() } }
            world.host("other").start { loop in try loop.onSignal(.terminate) { others.increment() } }
            try world.run(for: .seconds(1))
            host.send(.terminate)
            try world.run(for: .seconds(1))
            #expect(received.value == 1)
            #expect(others.value == 0)
        }
    }

    @Test("A skewed clock changes the timers of its host")
    func skew() throws {
        try Simulation.run(seed: 9) { world in
            let fast = Number(), slow = Number()
            for (skew, number) in [(100_000, fast), (-100_000, slow)] {
                world.host("host \(skew)", clockSkew: skew).start { loop in
                    _ = loop.schedule(every: .seconds(1)) { number.increment() }
                }
            }
            try world.run(for: .seconds(100.5))
            #expect(fast.value == 110)
            #expect(slow.value == 90)
        }
    }
}

@Suite struct SimulationErrorTests {
    private struct Mistake: Error {}

    @Test("A failure contains the seed, the host and the time")
    func failure() throws {
        let failure = #expect(throws: SimulationFailure.self) {
            try Simulation.run(seed: 12) { world in
                world.host("server").start { _ in throw Mistake() }
                try world.run(for: .seconds(1))
            }
        }
        #expect(failure?.seed == 12)
        #expect(failure?.host == "server")
        #expect(failure?.error is Mistake)
    }

    @Test("Exploration stops at the first seed that fails")
    func exploration() throws {
        let failure = #expect(throws: SimulationFailure.self) {
            try Simulation.explore(seeds: 1...100) { world in if world.seed == 60 { throw Mistake() } }
        }
        #expect(failure?.seed == 60)
    }

    @Test("A world that never becomes idle stops at the step limit, and names what is active")
    func stepLimit() throws {
        let error = #expect(throws: SimulationError.self) {
            try Simulation.run(seed: 1) { world in
                world.stepLimit = 1_000
                world.host("busy").start { loop in spin(on: loop) }
                try world.run(for: .seconds(3_600))
            }
        }
        #expect(error?.code == .stepLimit)
        #expect(error?.message.contains("busy/main") == true)
    }

    @Test("Code that uses randomness of the real system is reported as not deterministic")
    func randomness() throws {
        let error = #expect(throws: SimulationError.self) {
            try Simulation.explore(seeds: 1...1) { world in
                let delay = Duration.nanoseconds(Int.random(in: 0..<1_000_000_000))
                let host = world.host("host")
                let address = host.address(port: 1)
                host.start { loop in
                    _ = loop.schedule(after: delay) {
                        Connection.connect(to: address, loop: loop)
                            .subscribe(onValue: { _ in }, onTermination: { _ in })
                    }
                }
                try world.run(for: .seconds(2))
            }
        }
        #expect(error?.code == .notDeterministic)
    }

    @Test("A real descriptor on a simulated loop is refused, and the message says why")
    func realDescriptor() throws {
        try Simulation.run(seed: 1) { world in
            let host = world.host("host")
            let loop = try host.makeLoop("extra")
            let error = #expect(throws: LoopError.self) { try loop.watch(0, for: .read) { _ in } }
            #expect(error?.code == .badDescriptor)
            #expect(error?.message.contains("real system") == true)
        }
    }
}

private func spin(on loop: SimulatedLoop) { loop.execute { spin(on: loop) } }
