// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine
import Testing

@Suite struct ShrinkingTests {
    private struct LineIsLost: Error {}

    /// A client sends a line each second. The body fails if the server has not received all of them, which one fault
    /// can cause. Two further hosts and two further faults do nothing.
    private func losesLine(in world: World) throws {
        let (server, client) = (world.host("server"), world.host("client"))
        let (address, received) = (server.address(port: 7000), Tally())
        server.start { loop in
            try Server(on: address, loops: LoopGroup(loop)) { connection in
                connection.lines.handleEvents(onValue: { _ in received.echoes.increment() }).ignoreValues()
            }
        }
        client.start { loop in
            Connection.connect(to: address, loop: loop).subscribe(
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
        for name in ["idle", "other"] { world.host(name).start { _ in } }
        world.network.faults = [
            .latency(.milliseconds(1) ... .milliseconds(5)),
            .reset(probability: 0.2).between("client", "server"),
            .pause(every: .seconds(3)).on("idle"),
        ]
        try world.run(for: .seconds(30))
        if received.echoes.value < 10 { throw LineIsLost() }
    }

    @Test("A failure is reduced to the hosts and faults that cause it, and the reproduction fails in the same way")
    func reduced() throws {
        let failure = try #require(throws: SimulationFailure.self) {
            try Simulation.explore(seeds: 1...100, losesLine)
        }
        #expect(failure.error is LineIsLost)
        let reproduction = failure.reproduction
        #expect(reproduction.faults == [.reset(probability: 0.2).between("client", "server")])
        #expect(reproduction.without == ["idle", "other"])
        #expect(try #require(reproduction.faultsUntil) <= .seconds(15))
        let again = try #require(throws: SimulationFailure.self) { try Simulation.run(reproduction, losesLine) }
        #expect(again.error is LineIsLost && again.steps == failure.steps && again.diagram == failure.diagram)
        #expect(
            reproduction.description.hasPrefix(
                """
                Reproduction(seed: \(failure.seed), without: ["idle", "other"], \
                faults: [.reset(probability: 0.2).between("client", "server")], faultsUntil: .
                """
            )
        )
    }

    @Test("With few runs, the search leaves out no hosts, but finds the end of the faults to a millisecond")
    func fewRuns() throws {
        // Four runs for the faults, and fifteen to halve 30 s.
        let failure = try #require(throws: SimulationFailure.self) {
            try Simulation.explore(seeds: 1...100, shrinking: 20, losesLine)
        }
        let end = try #require(failure.reproduction.faultsUntil)
        var earlier = failure.reproduction
        earlier.faultsUntil = end - .milliseconds(1)
        #expect(earlier.without.isEmpty)
        try Simulation.run(earlier, losesLine)
    }

    @Test("Without runs for a search, nothing is left out")
    func unreduced() throws {
        let failure = try #require(throws: SimulationFailure.self) {
            try Simulation.explore(seeds: 1...100, shrinking: 0, losesLine)
        }
        #expect(failure.reproduction == Reproduction(seed: failure.seed))
        #expect(failure.description.contains("try Simulation.run(seed: \(failure.seed)) { world in … }"))
    }

    @Test("A fault with a fraction of a nanosecond is printed exactly")
    func exactDuration() {
        let fault = Fault.latency(.zero ... .seconds(1) / 3)
        let printed = ".latency(.seconds(0) ... .init(secondsComponent: 0, attosecondsComponent: 333333333333333333))"
        #expect(fault.description == printed)
        // The printed source, compiled.
        #expect(
            fault
                == .latency(.seconds(0) ... .init(secondsComponent: 0, attosecondsComponent: 333333333333333333))
        )
    }

    @Test("A false check ends the run, and names its place")
    func check() throws {
        let failure = try #require(throws: SimulationFailure.self) {
            try Simulation.run(seed: 1) { world in
                world.host("a").start { loop in
                    loop.schedule(after: .seconds(5)) { world.check(false, "five seconds are over") }
                }
                world.host("b").start { loop in _ = loop.schedule(every: .seconds(1)) {} }
                try world.run(for: .seconds(3_600))
            }
        }
        #expect(failure.time < .seconds(6))
        #expect("\(failure.error)".hasPrefix("five seconds are over (ReactiveSimulationTests/ShrinkingTests.swift:"))
    }

    @Test("The diagram contains packets and faults, as text and as SVG")
    func diagram() throws {
        let failure = try #require(throws: SimulationFailure.self) {
            try Simulation.run(seed: 3) { world in
                try? losesLine(in: world)
                world.network.block(from: world.hosts[0], to: world.hosts[1])
                world.hosts[1].crash()
                throw LineIsLost()
            }
        }
        let text = failure.diagram.description
        #expect(text.hasPrefix("time        server"))
        for part in ["connect", "accepts", "cannot reach client", "CRASHES"] { #expect(text.contains(part), "\(text)") }
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 })
        let svg = failure.diagram.svg
        #expect(svg.hasPrefix("<svg xmlns=") && svg.hasSuffix("</svg>"))
        #expect(svg.contains("cannot reach client"))
        for tag in ["text", "svg", "title", "defs", "marker"] {
            #expect(svg.split(separator: "<\(tag)").count == svg.split(separator: "</\(tag)>").count, "\(tag)")
        }
    }
}
