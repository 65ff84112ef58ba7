// SPDX-License-Identifier: MIT
import Reactive
import ReactiveSimulation
import SchedulerEngine
import Testing

/// Packets that a test drops, or delays until it decides.
@Suite struct HoldTests {
    /// Starts a sender that sends 1, 2, 3 and so on, one datagram every 100 ms. Returns the numbers that its receiver has
    /// received.
    private func sendNumbers(in world: World) -> SharedValue<[String]> {
        let received = SharedValue<[String]>([])
        let (sender, receiver) = (world.host("sender"), world.host("receiver"))
        let address = receiver.address(port: 9)
        receiver.start { loop in
            let socket = try DatagramSocket(on: address, loop: loop)
            socket.received.subscribe(
                onValue: { datagram in
                    received.update { $0.append(String(decoding: Array(datagram.bytes), as: UTF8.self)) }
                },
                onTermination: { _ in }
            )
            return socket
        }
        sender.start { loop in
            let socket = try DatagramSocket(on: sender.address, loop: loop)
            let count = SharedValue(0)
            _ = loop.schedule(every: .milliseconds(100)) {
                let number = count.update { count in
                    count += 1
                    return count
                }
                socket.send(Bytes("\(number)".utf8), to: address).subscribe(onTermination: { _ in })
            }
            return socket
        }
        return received
    }

    @Test("Held packets arrive in order at the release, and later ones after them")
    func order() throws {
        try Simulation.run(seed: 1) { world in
            let received = sendNumbers(in: world)
            try world.run(for: .milliseconds(250))
            #expect(received.value == ["1", "2"])
            let (sender, receiver) = (world.hosts[0], world.hosts[1])
            world.network.hold(from: sender, to: receiver)
            // Calls nest.
            world.network.hold(from: sender, to: receiver)
            world.network.release(from: sender, to: receiver)
            try world.run(for: .seconds(2))
            #expect(received.value == ["1", "2"])
            world.network.release(from: sender, to: receiver)
            try world.run(for: .milliseconds(1))
            #expect(received.value == (1...22).map { "\($0)" })
            // Without a hold it does nothing.
            world.network.release(from: sender, to: receiver)
            try world.run(for: .seconds(1))
            #expect(received.value == (1...32).map { "\($0)" })
        }
    }

    @Test("A packet that is travelling survives a block, but a hold delays it")
    func travelling() throws {
        for holds in [false, true] {
            try Simulation.run(seed: 1) { world in
                world.network.conditions.latency = .milliseconds(50) ... .milliseconds(50)
                let received = sendNumbers(in: world)
                try world.run(for: .milliseconds(120))
                let (sender, receiver) = (world.hosts[0], world.hosts[1])
                if holds { world.network.hold(from: sender, to: receiver) }
                // Datagram 1 is travelling. Datagrams 2 and 3 are sent during the block.
                world.network.block(from: sender, to: receiver)
                try world.run(for: .milliseconds(200))
                #expect(received.value == (holds ? [] : ["1"]))
                world.network.heal(from: sender, to: receiver)
                try world.run(for: .milliseconds(200))
                #expect(received.value == (holds ? [] : ["1", "4"]))
                if holds { world.network.release(from: sender, to: receiver) }
                try world.run(for: .milliseconds(150))
                #expect(received.value == ["1", "4", "5", "6"])
            }
        }
    }

    @Test("A connection continues after a hold of ten minutes", arguments: [true, false])
    func connection(isClientHeld: Bool) throws {
        try Simulation.run(seed: 2) { world in
            let tally = Tally()
            let (server, client) = (world.host("server"), world.host("client"))
            let address = server.address(port: 7000)
            server.start { loop in try EchoService.serve(on: loop, at: address) }
            client.start { loop in EchoService.request(20_000, of: "server", on: loop, tally) }
            try world.run(for: .seconds(10))
            let before = tally.echoes.value
            let (source, target) = isClientHeld ? (client, server) : (server, client)
            world.network.hold(from: source, to: target)
            try world.run(for: .seconds(600))
            #expect(tally.echoes.value == before)
            world.network.release(from: source, to: target)
            try world.run(for: .seconds(1))
            #expect(tally.echoes.value > before + 3_000 && tally.wrong.value == 0)
        }
    }

    @Test("A held attempt to connect succeeds after the release, or fails after its time limit")
    func connecting() throws {
        for seconds in [30, 200] {
            try Simulation.run(seed: 3) { world in
                let (server, client) = (world.host("server"), world.host("client"))
                let (address, outcomes) = (server.address(port: 7000), SharedValue<[String]>([]))
                server.start { loop in try EchoService.serve(on: loop, at: address) }
                world.network.hold(from: client, to: server)
                client.start { loop in
                    Connection.connect(to: address, loop: loop, settings: ConnectSettings(timeout: .seconds(60)))
                        .subscribe(
                            onValue: { _ in outcomes.update { $0.append("connected") } },
                            onTermination: { termination in
                                if case .failed = termination { outcomes.update { $0.append("failed") } }
                            }
                        )
                }
                try world.run(for: .seconds(seconds))
                world.network.release(from: client, to: server)
                try world.run(for: .seconds(1))
                #expect(outcomes.value == [seconds < 60 ? "connected" : "failed"])
            }
        }
    }

    @Test("Packets that are held for a host that crashes, or at the end of the world, are released")
    func crash() throws {
        try Simulation.run(seed: 4) { world in
            let received = sendNumbers(in: world)
            let (sender, receiver) = (world.hosts[0], world.hosts[1])
            world.network.hold(from: sender, to: receiver)
            try world.run(for: .seconds(1))
            receiver.crash()
            world.network.release(from: sender, to: receiver)
            try world.run(for: .seconds(1))
            receiver.restart()
            try world.run(for: .milliseconds(250))
            #expect(received.value.allSatisfy { (20...23).contains(Int($0) ?? 0) } && !received.value.isEmpty)
            world.network.hold(from: sender, to: receiver)
            try world.run(for: .seconds(1))
        }
    }
}
