// SPDX-License-Identifier: MIT
import Glibc
import Reactive
import SchedulerEngine
import Testing

@testable import ReactiveSimulation

/// The cost of a simulation: a thousand connections that send a message each second. `make bench-simulation` runs it.
@Suite struct LoadTests {
    private static let seconds = getenv("SIMULATED_SECONDS").flatMap { Int(String(cString: $0)) }
    private static let connections = 1_000

    @Test(
        "A thousand connections send a message each second",
        .enabled(if: seconds != nil, "make bench-simulation runs it in a release build")
    )
    func load() throws {
        let seconds = try #require(Self.seconds)
        let begin = Self.processorTime
        try Simulation.run(seed: 1) { world in
            let (server, client) = (
                world.host("server", descriptorLimit: 2_000), world.host("client", descriptorLimit: 2_000)
            )
            world.stepLimit = .max
            let (address, received) = (server.address(port: 7), SharedValue(0))
            server.start { loop in
                try Server(on: address, loops: LoopGroup(loop), backlog: 1_000) { connection in
                    connection.received.handleEvents(onValue: { chunk in received.update { $0 += chunk.count } })
                        .ignoreValues()
                }
            }
            client.start { loop in
                for _ in 0..<Self.connections {
                    Connection.connect(to: address, loop: loop).subscribe(
                        onValue: { connection in
                            _ = loop.schedule(every: .seconds(1)) { connection.send("m") }
                        },
                        onTermination: { _ in }
                    )
                }
            }
            try world.run(for: .seconds(seconds))
            let (time, count) = (Self.processorTime - begin, Double(received.value))
            let rates = [
                ("messages", count), ("turns", Double(world.turns)), ("system calls", Double(world.kernel.callCount)),
            ]
            print("\(seconds) simulated seconds took \(time) seconds of CPU time")
            for (name, number) in rates { print("\(name): \(Int(number)), \(Int(number / time)) per second") }
            #expect(count >= Double(Self.connections * (seconds - 2)))
            // The limit for an hour is 30 seconds, in a release build. A short run also has its beginning.
            #expect(time <= 30 * Double(seconds) / 3_600 + 1)
        }
    }

    /// The CPU time of the process, in seconds.
    private static var processorTime: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}
