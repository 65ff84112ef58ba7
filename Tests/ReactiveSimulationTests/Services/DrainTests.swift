// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine
import Synchronization
import Testing

/// A line server whose service says goodbye when the server drains, and clients that send lines.
@Suite struct DrainTests {
    private static let grace = Duration.seconds(5)
    private static let clientCount = 5

    /// What the clients and the server have seen.
    private final class Record: Sendable {
        struct State {
            var goodbyes = 0
            var ended = 0
            var beginning: Duration?
            var end: Duration?
            var connectionsAtEnd: Int?
        }

        let state = Mutex(State())
    }

    /// Starts the server, which drains at `time`.
    private func serve(_ world: World, drainAt time: Duration, _ record: Record) -> SimulatedHost {
        let host = world.host("server")
        let address = host.address(port: 7000)
        host.start { loop in
            let server = try Server(on: address, loops: LoopGroup(loop)) { connection in
                let replies = connection.received.lines(limit: 64).map { line in Bytes("\(line)\n") }
                let goodbye = Signal<Bytes, SocketError>(just: "bye\n")
                return connection.send(from: replies.take(until: connection.draining).concat(goodbye))
            }
            _ = loop.schedule(after: time) {
                record.state.withLock { $0.beginning = world.now }
                server.drain(within: Self.grace).subscribe(onTermination: { _ in
                    let count = server.connectionCount.value
                    record.state.withLock { state in (state.end, state.connectionsAtEnd) = (world.now, count) }
                })
            }
            return server
        }
        return host
    }

    /// Starts clients that send a line every 50 ms until the stream ends.
    private func connect(_ world: World, _ record: Record) {
        for number in 0..<Self.clientCount {
            world.host("client \(number)").start { loop in
                Connection.connect(toHost: "server", port: 7000, loop: loop)
                    .flatMap(.latest) { connection in
                        let lines = Signal<Int, SocketError>.interval(.milliseconds(50), on: loop).map { "line \($0)" }
                        let sending = connection.send(lines: lines.take(until: connection.endOfStream))
                        sending.subscribe(onTermination: { _ in })
                        return connection.received.lines(limit: 64)
                    }
                    .subscribe(
                        onValue: { line in
                            record.state.withLock { state in
                                if line == "bye" { state.goodbyes += 1 }
                            }
                        },
                        onTermination: { _ in record.state.withLock { $0.ended += 1 } }
                    )
            }
        }
    }

    @Test("Each client receives one goodbye and the end of its stream", arguments: 1...20 as ClosedRange<UInt64>)
    func goodbye(seed: UInt64) throws {
        try Simulation.run(seed: seed) { world in
            let record = Record()
            let host = serve(world, drainAt: .milliseconds(1_000 + Int(seed) * 7), record)
            connect(world, record)
            try world.run(for: .seconds(20))
            let state = record.state.withLock { $0 }
            #expect(state.goodbyes == Self.clientCount)
            #expect(state.ended == Self.clientCount)
            #expect(state.connectionsAtEnd == 0)
            #expect(host.openDescriptors.isEmpty)
        }
    }

    @Test("A drain ends within its grace period despite faults", arguments: 1...60 as ClosedRange<UInt64>)
    func grace(seed: UInt64) throws {
        try Simulation.run(seed: seed) { world in
            let record = Record()
            let host = serve(world, drainAt: .seconds(20), record)
            connect(world, record)
            world.network.faults = [
                .latency(.milliseconds(1) ... .milliseconds(500)),
                .loss(probability: 0.02),
                .partition(every: .seconds(10)),
                .reset(probability: 0.002),
                .pause(every: .seconds(10)).on("client 1"),
                .crash(every: .seconds(20)).on("client 2"),
            ]
            try world.run(for: .seconds(60))
            let state = record.state.withLock { $0 }
            #expect(state.connectionsAtEnd == 0)
            let (beginning, end) = (try #require(state.beginning), try #require(state.end))
            #expect(end - beginning <= Self.grace + .milliseconds(100))
            #expect(host.openDescriptors.isEmpty)
        }
    }
}
