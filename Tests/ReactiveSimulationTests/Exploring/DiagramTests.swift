// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine
import Testing

/// The events that a diagram shows if hundreds of events lie between a fault and the failure.
@Suite struct DiagramTests {
    private struct LineIsLost: Error {}
    private struct NoTraffic: Error {}

    /// A client sends a line in each of the first ten seconds, and a third host exchanges 300 lines with the server in
    /// half a minute. The body fails at the end, if the server has not received the ten lines.
    private func losesLine(in world: World, _ faults: [Fault], _ disturb: (World) throws -> Void = { _ in }) throws {
        let (server, client, other) = (world.host("server"), world.host("client"), world.host("other"))
        let (received, traffic) = (Number(), Tally())
        server.start { loop in
            let echo = try EchoService.serve(on: loop, at: server.address(port: 7000))
            let lines = try Server(on: server.address(port: 7001), loops: LoopGroup(loop)) { connection in
                connection.lines.handleEvents(onValue: { _ in received.increment() }).ignoreValues()
            }
            return [echo, lines]
        }
        client.start { loop in
            Connection.connect(to: server.address(port: 7001), loop: loop).subscribe(
                onValue: { connection in
                    for second in 1...10 {
                        loop.schedule(after: .seconds(second)) {
                            connection.send(line: "line \(second)").subscribe(onTermination: { _ in })
                        }
                    }
                },
                onTermination: { _ in }
            )
        }
        other.start { loop in EchoService.request(300, of: "server", on: loop, traffic) }
        world.network.faults = faults
        try disturb(world)
        try world.run(for: .seconds(40))
        if traffic.echoes.value < 300 { throw NoTraffic() }
        if received.value < 10 { throw LineIsLost() }
    }

    private func failure(_ body: () throws -> Void) throws -> SimulationFailure {
        let failure = try #require(throws: SimulationFailure.self) { try body() }
        #expect(failure.error is LineIsLost, "\(failure)")
        return failure
    }

    /// The time of the last line of a diagram, in seconds.
    private func lastTime(_ failure: SimulationFailure) -> Double {
        let line = failure.diagram.description.split(separator: "\n").last
        return line.flatMap { Double($0.prefix { $0 != " " }) } ?? 0
    }

    /// The faults that a host can suffer, and how the diagram shows each. A latency has no event of its own.
    static let faults: [(fault: Fault, text: String)] = [
        (.reset(probability: 0.2).between("client", "server"), "RESET"),
        (.crash(every: .seconds(20)).on("client"), "CRASHES"),
        (.refusedConnects(probability: 0.5).between("client", "server"), "refused"),
        (.blackHoledConnects(probability: 0.5).between("client", "server").until(.seconds(300)), "packet lost"),
    ]

    @Test("A diagram shows the fault that a failure at the end of a long run needs", arguments: faults.indices)
    func needed(index: Int) throws {
        let (fault, text) = Self.faults[index]
        let failure = try failure {
            try Simulation.explore(seeds: 1...100) { world in try losesLine(in: world, [fault]) }
        }
        #expect(failure.reproduction.faultsUntil != nil && failure.time == .seconds(40), "\(failure)")
        let description = failure.description
        #expect(description.contains(text) && description.contains(" events left out"), "\(description)")
        // The last events are there too.
        #expect(lastTime(failure) > 29, "\(description)")
        // The reproduction has the same diagram.
        let again = try self.failure {
            try Simulation.run(failure.reproduction) { world in try losesLine(in: world, [fault]) }
        }
        #expect(again.diagram == failure.diagram)
    }

    @Test("Without a search, a diagram shows the last fault, also one that the test has caused")
    func unreduced() throws {
        let failure = try failure {
            try Simulation.run(seed: 1) { world in
                try losesLine(in: world, []) { world in
                    try world.run(for: .seconds(5))
                    world.hosts[1].crash()
                }
            }
        }
        #expect(failure.description.contains("CRASHES"), "\(failure)")
    }

    private typealias Action = @Sendable (World) -> Void

    /// Faults of the test, with what begins and ends each, and the text of its beginning.
    private static let disturbances: [(text: String, begin: Action, end: Action)] = [
        ("CRASHES", { $0.hosts[1].crash() }, { $0.hosts[1].restart() }),
        ("exits", { $0.hosts[1].exit() }, { $0.hosts[1].restart() }),
        (
            "cannot reach other", { $0.network.block(from: $0.hosts[1], to: $0.hosts[2]) },
            { $0.network.heal(from: $0.hosts[1], to: $0.hosts[2]) }
        ),
        (
            "packets to server are held", { $0.network.hold(from: $0.hosts[1], to: $0.hosts[0]) },
            { $0.network.release(from: $0.hosts[1], to: $0.hosts[0]) }
        ),
    ]

    @Test("A diagram shows the beginning of the last fault, not its end")
    func beginning() throws {
        for (text, begin, end) in Self.disturbances {
            let failure = try failure {
                try Simulation.run(seed: 1) { world in
                    try losesLine(in: world, []) { world in
                        try world.run(for: .seconds(5))
                        begin(world)
                        try world.run(for: .seconds(20))
                        end(world)
                    }
                    // Ends nothing, so it is not recorded.
                    world.network.heal(from: world.hosts[0], to: world.hosts[1])
                    world.network.release(from: world.hosts[0], to: world.hosts[1])
                    throw LineIsLost()
                }
            }
            let description = failure.description
            #expect(description.contains(text) && description.contains(" events left out"), "\(description)")
            #expect(!description.contains("reaches client") && !description.contains("to client"), "\(description)")
        }
    }

    @Test("A diagram of all events leaves nothing out")
    func whole() throws {
        let fault = Fault.reset(probability: 0.2).between("client", "server")
        let failure = try failure {
            try Simulation.explore(seeds: 1...100) { world in try losesLine(in: world, [fault]) }
        }
        #expect(failure.description.contains("`diagram: .whole`"))
        let all = try self.failure {
            try Simulation.run(failure.reproduction, diagram: .whole) { world in try losesLine(in: world, [fault]) }
        }
        #expect(!all.description.contains("left out") && !all.description.contains(".whole"))
        let lines = all.diagram.description.split(separator: "\n")
        #expect(lines.count > 500 && lines[1].hasPrefix("0.00"))
        // The excerpt consists of lines of the whole diagram. Its first line may begin inside a group.
        let known = Set(lines)
        let excerpt = failure.diagram.description.split(separator: "\n")
        #expect(excerpt.filter { !known.contains($0) && !$0.contains("left out") }.count <= 4, "\(failure)")
        #expect(failure.diagram.svg.contains("events left out"))
    }

    @Test("If no event shows the fault, a diagram shows the events before its end")
    func invisible() throws {
        let fault = Fault.latency(.seconds(1) ... .seconds(1)).between("client", "server")
        func delaysLine(_ world: World) throws {
            let isLate = SharedValue(false)
            try losesLine(in: world, [fault]) { world in
                let start = SharedValue(Duration.zero)
                world.hosts[1].start { loop in
                    Connection.connect(to: world.hosts[0].address(port: 7000), loop: loop)
                        .flatMap(.latest) { connection in
                            loop.schedule(after: .seconds(5.5)) {
                                start.update { $0 = world.now }
                                connection.send(line: "ping").subscribe(onTermination: { _ in })
                            }
                            return connection.lines
                        }
                        .subscribe(
                            onValue: { _ in
                                let time = world.now - start.value
                                if time > .milliseconds(500) { isLate.update { $0 = true } }
                            },
                            onTermination: { _ in }
                        )
                }
            }
            if isLate.value { throw LineIsLost() }
        }
        let failure = try failure { try Simulation.explore(seeds: 1...1, delaysLine) }
        let end = try #require(failure.reproduction.faultsUntil)
        // The connection takes two seconds. Only the diagram contains the line of 5 bytes, which was late.
        #expect(end > .seconds(7.4) && end < .seconds(7.7), "\(failure)")
        #expect(failure.diagram.description.contains(" 5 B ") && lastTime(failure) > 29, "\(failure)")
    }
}
