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
        let echoed = Latch()
        check.accept(from: listener) { connection in
            connection.send(from: connection.received).subscribe(onTermination: { _ in echoed.arrive() })
        }
        try call(check, listener.localAddress, on: calling, "server on \(server.name), client on \(client.name)")
        try check.wait(for: echoed, "server on \(server.name), client on \(client.name): the echo ends")
        listener.close()
        serving.dispose()
        calling.dispose()
    }

    /// Connects, sends many bytes and end of stream, and expects that the same bytes come back.
    private static func call(
        _ check: Check,
        _ address: SocketAddress,
        on loop: any LoopScheduler,
        _ pairing: String
    ) throws {
        let data = check.noise(check.rounds(1_000_000))
        let (ends, received, places) = (Latch(2), Recorder<Bytes>(), Box(0))
        Connection.connect(to: address, loop: loop).subscribe(
            onValue: { connection in
                if !loop.isCurrent { places.increment() }
                connection.received.subscribe(
                    onValue: {
                        if !loop.isCurrent { places.increment() }
                        received.append($0)
                    },
                    onTermination: { _ in ends.arrive() }
                )
                connection.send(Bytes(data))
                connection.finishSending()
            },
            onTermination: { termination in
                check.noFailure(of: "the connection")(termination)
                ends.arrive()
            }
        )
        try check.wait(for: ends, "\(pairing): connect, echo and receive")
        check.expect(received.values.flatMap { Array($0) }, sent: data, "\(pairing): \(data.count) bytes are echoed")
        check.equal(places.value, 0, "deliveries outside the client's loop")
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
        let server = check.thread {
            let peer = RawPeer.accepted(by: listener.descriptor)
            let (bytes, _) = peer.receiveAll()
            peer.sendAll(bytes)
            peer.close()
        }
        try call(check, listener.address, on: loop, "client on this loop, plain blocking server")
        server.join()
        Descriptor.close(listener.descriptor)
        loop.dispose()
    }
}
