// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine
import Testing

/// Runs of one seed whose objects have different addresses. An order that depends on addresses makes them differ.
@Suite struct OrderTests {
    /// The fingerprint of a run, and the events that its program has logged.
    private struct Outcome: Equatable {
        let fingerprint: UInt64
        let log: [String]
    }

    /// Calls `body` after many allocations and releases, so that its objects get other addresses than in another call.
    private func withShuffledHeap<Result>(_ number: UInt64, _ body: () throws -> Result) rethrows -> Result {
        var random = SimulationRandom(seed: number)
        var blocks = (0..<20_000).map { _ in [UInt8](repeating: 0, count: Int.random(in: 1...500, using: &random)) }
        blocks.shuffle(using: &random)
        blocks.removeLast(10_000)
        return try withExtendedLifetime(blocks) { try body() }
    }

    private func outcome(_ body: (World, SharedValue<[String]>) throws -> Void) throws -> Outcome {
        try Simulation.run(seed: 1) { world in
            let log = SharedValue<[String]>([])
            try body(world, log)
            return Outcome(fingerprint: world.fingerprint, log: log.value)
        }
    }

    /// Ends everything of which a component may have many.
    private func endAll(in world: World, _ log: SharedValue<[String]>) throws {
        let (server, client) = (world.host("server"), world.host("client"))
        let addresses = [server.address(port: 7000), server.address(port: 7001)]
        server.start { loop in
            // Drains the connections of several loops.
            let loops = try LoopGroup(count: 6) { number in try server.makeLoop("loop \(number)") }
            let echo = try Server(on: addresses[0], loops: loops) { connection in
                connection.draining.subscribe(onValue: { log.update { $0.append("drains \(connection.loop)") } })
                return connection.send(from: connection.received)
            }
            loop.schedule(after: .seconds(2)) { echo.drain(within: .seconds(1)) }
            // Resets peers whose header is not complete.
            let proxied = try Server(
                on: addresses[1],
                loops: LoopGroup(loop),
                proxies: TrustedProxies([try AddressRange("10.0.0.0/8")])
            ) { _ in .never }
            loop.schedule(after: .seconds(3)) { proxied.drain(within: .zero) }
        }
        client.start { loop in
            for number in 0..<48 {
                Connection.connect(to: addresses[number % 2], loop: loop).flatMap(.latest) { $0.received }.subscribe(
                    onValue: { _ in },
                    onTermination: { _ in log.update { $0.append("connection \(number)") } }
                )
            }
            // Fails the signals of a socket, and cancels the executions of a command.
            let socket = try DatagramSocket(on: client.address, loop: loop)
            let command = Command<Int, Never, Never>(.concurrent()) { number in
                Signal { _, subscription in subscription.onDispose { log.update { $0.append("execution \(number)") } } }
            }
            for number in 0..<12 {
                command.execute(number)
                socket.send(from: Signal<Datagram, Never>.never)
                    .subscribe(onTermination: { _ in log.update { $0.append("source \(number)") } })
            }
            loop.schedule(after: .seconds(1)) {
                command.end(.cancel)
                socket.close()
            }
        }
        // Closes the listeners of a loop.
        let other = try client.makeLoop("other")
        try client.perform { for _ in 0..<12 { _ = try other.onSignal(.hangUp) {} } }
        try world.run(for: .seconds(2))
        client.perform { other.dispose() }
        try world.run(for: .seconds(10))
    }

    @Test("A seed has one trace, whatever the addresses of the objects")
    func addresses() throws {
        let outcomes = try (1...4 as ClosedRange<UInt64>).map { number in
            try withShuffledHeap(number) { try outcome(endAll) }
        }
        let log = outcomes[0].log
        #expect(log.filter { $0.hasPrefix("execution") } == (0..<12).map { "execution \($0)" })
        #expect(log.filter { $0.hasPrefix("source") } == (0..<12).map { "source \($0)" })
        #expect(log.contains { $0.hasPrefix("drains") } && log.filter { $0.hasPrefix("connection") }.count == 48)
        for other in outcomes.dropFirst() { #expect(other == outcomes[0]) }
    }
}
