// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// N22: pairs of loops.
enum PermutationRules {
    static let all = [n22]

    static let n22 = Rule(
        "N22",
        "A server on this loop serves clients on every other loop and vice versa; each also works with a blocking peer.",
        needs: [.sockets, .ownThread],
        limit: .seconds(40)
    ) { check in
        for peer in check.peers {
            try exchange(check, server: check.description, client: peer)
            if peer.name != check.description.name { try exchange(check, server: peer, client: check.description) }
        }
        try plainClient(check)
        try plainServer(check)
    }

    private static func exchange(_ check: Check, server: LoopDescription, client: LoopDescription) throws {
        check.note("server on \(server.name), client on \(client.name)")
        let serving = try check.loop(of: server, isOwned: true)
        let calling = try check.loop(of: client, isOwned: true)
        let listener = try Listener(on: .loopback(port: 0), loop: serving)
        let ends = Latch(3)
        check.accept(from: listener) { connection in
            connection.send(from: connection.received).subscribe(onTermination: { _ in ends.arrive() })
        }
        let data = check.noise(check.rounds(1_000_000))
        let received = Recorder<Bytes>()
        let places = Box(0)
        Connection.connect(to: listener.localAddress, loop: calling).subscribe(
            onValue: { connection in
                if !calling.isCurrent { places.increment() }
                connection.received.subscribe(
                    onValue: {
                        if !calling.isCurrent { places.increment() }
                        received.append($0)
                    },
                    onTermination: { _ in ends.arrive() }
                )
                connection.send(Bytes(data))
                connection.finishSending()
            },
            onTermination: { _ in ends.arrive() }
        )
        try check.wait(for: ends, "server on \(server.name), client on \(client.name): connect, echo and receive")
        let all = received.values.flatMap { Array($0) }
        check.expect(
            all,
            sent: data,
            "server on \(server.name), client on \(client.name): \(data.count) bytes are echoed"
        )
        check.equal(places.value, 0, "deliveries outside the client's loop")
        listener.close()
        serving.dispose()
        calling.dispose()
    }

    private static func plainClient(_ check: Check) throws {
        check.note("server on this loop, plain blocking client")
        let loop = try check.ownedLoop()
        let listener = try Listener(on: .loopback(port: 0), loop: loop)
        check.echo(from: listener)
        let data = check.noise(check.rounds(1_000_000))
        let client = try RawPeer(to: listener.localAddress)
        client.setBlocking(true)
        let sender = check.thread {
            client.sendAll(data)
            client.finish()
        }
        let (bytes, end) = client.receiveAll()
        sender.join()
        check.expect(
            bytes == data && end == .end,
            "\(data.count) bytes are echoed, then the stream ends",
            seen: "\(bytes.count) bytes, \(end)"
        )
        client.close()
        listener.close()
        loop.dispose()
    }

    private static func plainServer(_ check: Check) throws {
        check.note("client on this loop, plain blocking server")
        let loop = try check.ownedLoop()
        let listener = RawSocket.listener()
        let data = check.noise(check.rounds(1_000_000))
        let server = check.thread {
            let peer = RawPeer.accepted(by: listener.descriptor)
            let (bytes, _) = peer.receiveAll()
            peer.sendAll(bytes)
            peer.close()
        }
        let received = Recorder<Bytes>()
        let over = Latch()
        Connection.connect(to: listener.address, loop: loop).subscribe(
            onValue: { connection in
                connection.received.subscribe(onValue: { received.append($0) }, onTermination: { _ in over.arrive() })
                connection.send(Bytes(data))
                connection.finishSending()
            },
            onTermination: check.noFailure(of: "the connection")
        )
        try check.wait(for: over, "the plain server's answer has ended")
        server.join()
        check.expect(received.values.flatMap { Array($0) }, sent: data, "\(data.count) bytes are echoed")
        Descriptor.close(listener.descriptor)
        loop.dispose()
    }
}
