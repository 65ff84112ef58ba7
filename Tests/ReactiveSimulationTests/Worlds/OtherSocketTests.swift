// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine
import Testing

/// Services on datagram sockets and Unix sockets.
@Suite struct OtherSocketTests {
    /// A server that returns each datagram, and a client that repeats a question until it is answered.
    private func ask(_ count: Int, in world: World, _ answers: SharedValue<[Int]>) {
        let (server, client) = (world.host("server"), world.host("client"))
        let address = server.address(port: 53)
        server.start { loop in
            let socket = try DatagramSocket(on: address, loop: loop)
            socket.send(from: socket.received).subscribe(onTermination: { _ in })
            return socket
        }
        client.start { loop in
            let socket = try DatagramSocket(to: address, loop: loop)
            @Sendable func next(_ number: Int) {
                guard number < count, answers.value.count == number else { return }
                socket.send("\(number)").subscribe(onTermination: { _ in })
                loop.schedule(after: .milliseconds(100)) { next(number) }
            }
            socket.received.subscribe(
                onValue: { datagram in
                    guard let number = Int(decimal: datagram.bytes), answers.value.count == number else { return }
                    answers.update { $0.append(number) }
                    next(number + 1)
                },
                onTermination: { _ in }
            )
            next(0)
            return socket
        }
    }

    @Test("Repeated questions are answered despite loss, duplication and reordering")
    func datagrams() throws {
        try Simulation.explore(seeds: 1...20) { world in
            let answers = SharedValue<[Int]>([])
            ask(50, in: world, answers)
            world.network.faults = [
                .loss(probability: 0.3),
                .duplication(probability: 0.1),
                .reordering(probability: 0.3),
                .latency(.milliseconds(1) ... .milliseconds(30)),
            ]
            try world.run(for: .seconds(60))
            if answers.value != Array(0..<50) { throw Violation("\(answers.value.count) answers") }
        }
    }

    @Test(
        "A Unix server answers clients of its host, and replaces the file of a crashed one",
        arguments: [false, true]
    )
    func unix(crashes: Bool) throws {
        try Simulation.explore(seeds: 1...20) { world in
            let host = world.host("host")
            let address = try SocketAddress.unix(path: "/run/echo")
            let answers = SharedValue(0)
            host.start { loop in
                let server = try Server(on: address, loops: LoopGroup(loop)) { connection in
                    connection.send(from: connection.received)
                }
                Connection.connect(to: address, loop: loop)
                    .flatMap(.latest) { connection in
                        let payload = Bytes(Array(repeating: 7, count: 600_000))
                        connection.send(payload).subscribe(onTermination: { _ in })
                        connection.finishSending()
                        return connection.received.reduce(into: 0) { $0 += $1.count }
                    }
                    .subscribe(
                        onValue: { count in if count == 600_000 { answers.update { $0 += 1 } } },
                        onTermination: { _ in }
                    )
                return server
            }
            try world.run(for: .seconds(1))
            if crashes {
                host.crash()
                host.restart()
                try world.run(for: .seconds(1))
            }
            if answers.value != (crashes ? 2 : 1) { throw Violation("\(answers.value) answers") }
        }
    }
}
