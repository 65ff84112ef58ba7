// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine

/// A TCP proxy, as the example PortForward is. Clients send bytes through it, end their stream, and expect the answer:
/// the bytes, and a last line that the target sends after it has received the end.
enum ProxyScenario: Scenario {
    static let name = "PortForward"
    static let bugs: [ServiceBug] = [.proxyEndsBothDirections, .proxyDropsWhenFull, .proxyLeaksTarget]

    private static let clients = 4
    private static let calm = Duration.seconds(40)
    private static let payload = Bytes((0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    private struct Tally {
        var done = 0
        var wrong: [String] = []
    }

    static func run(in world: World, with bug: ServiceBug?) throws {
        let tally = SharedValue(Tally())
        let (target, proxy) = (world.host("target"), world.host("proxy"))
        let (targetAddress, proxyAddress) = (target.address(port: 80), proxy.address(port: 8080))
        target.start { loop in
            try Server(on: targetAddress, loops: LoopGroup(loop)) { connection in
                // Slow, so that the proxy has to wait.
                let slow = connection.received.flatMap(.concat) { chunk in
                    Signal<Bytes, SocketError>.just(chunk).delay(.milliseconds(2), on: loop)
                }
                return connection.send(from: slow.concat(Signal(just: "bye")))
            }
        }
        proxy.start { loop in try forward(from: proxyAddress, to: targetAddress, on: loop, bug) }
        for number in 0..<clients {
            world.host("client \(number)").start { loop in send(on: loop, tally) }
        }
        world.network.faults = [
            .latency(.milliseconds(1) ... .milliseconds(20)).until(calm),
            .bandwidth(bytesPerSecond: 500_000).on("client 3"),
            .reset(probability: 0.002).until(calm).on("client 0"),
            .partition(every: .seconds(15)).until(calm).between("proxy", "target"),
            .pause(every: .seconds(8)).until(calm).on("client 1"),
            .crash(every: .seconds(15), lasting: .seconds(1) ... .seconds(3)).until(calm).on("client 2"),
        ]
        try world.run(for: calm + .seconds(400))
        let result = tally.value
        try require(result.wrong.isEmpty, "wrong answers: \(result.wrong.prefix(3))")
        try require(result.done >= clients, "\(result.done) of \(clients) transfers have ended")
        let open = proxy.openDescriptors
        try require(open.count == 1, "the proxy has left open: \(open)")
    }

    private static func forward(
        from address: SocketAddress,
        to target: SocketAddress,
        on loop: SimulatedLoop,
        _ bug: ServiceBug?
    ) throws -> Server {
        // A peer that has crashed says nothing, so silence ends its connection.
        let limits = ServerLimits(timeouts: ConnectionTimeouts(idle: .seconds(120)))
        return try Server(on: address, loops: LoopGroup(loop), limits: limits) { peer in
            Connection.connect(to: target, loop: loop, settings: ConnectSettings(timeout: .seconds(10)))
                .take(until: peer.endOfStreamIfReset)
                .flatMap { connection -> Signal<Never, SocketError> in
                    switch bug {
                    case .proxyEndsBothDirections:
                        let up = connection.send(from: peer.received)
                        up.subscribe(onTermination: { _ in peer.finishSending() })
                        return peer.send(from: connection.received)
                    case .proxyDropsWhenFull:
                        peer.received.subscribe(
                            onValue: { chunk in if connection.isWritable.value { connection.send(chunk) } },
                            onTermination: { _ in connection.finishSending() }
                        )
                        return peer.send(from: connection.received)
                    case .proxyLeaksTarget:
                        peer.received.subscribe(
                            onValue: { chunk in connection.send(chunk) },
                            onTermination: { termination in
                                if case .completed = termination { connection.finishSending() }
                            }
                        )
                        connection.received.subscribe(
                            onValue: { chunk in peer.send(chunk) },
                            onTermination: { termination in if case .completed = termination { peer.finishSending() } }
                        )
                        return peer.ended
                    default:
                        connection.setTimeouts(ConnectionTimeouts(idle: .seconds(120)))
                        return Connection.pipe(peer, connection)
                    }
                }
        }
    }

    /// Sends the payload until the answer has arrived once.
    private static func send(on loop: SimulatedLoop, _ tally: SharedValue<Tally>) {
        @Sendable func attempt() {
            Connection.connect(toHost: "proxy", port: 8080, loop: loop)
                .flatMap(.latest) { connection in
                    connection.send(payload)
                    connection.finishSending()
                    return connection.received.reduce(into: Bytes()) { all, chunk in all = Bytes(joining: [all, chunk])
                    }
                }
                .timeout(after: .seconds(60), raising: SocketError(.timedOut, "no answer"), on: loop)
                .subscribe(
                    onValue: { answer in
                        let isRight = answer == Bytes(joining: [payload, "bye"])
                        tally.update { tally in
                            tally.done += 1
                            if !isRight { tally.wrong.append("\(answer.count) of \(payload.count + 3) bytes") }
                        }
                    },
                    onTermination: { termination in
                        if case .failed = termination { loop.schedule(after: .seconds(1)) { attempt() } }
                    }
                )
        }
        attempt()
    }
}

extension Connection {
    /// Completes when the peer resets the connection. A half-close is not the end of a transfer.
    fileprivate var endOfStreamIfReset: Signal<Never, Never> {
        ended.flatMapError { _ in Signal<Never, Never>.empty }
    }
}
