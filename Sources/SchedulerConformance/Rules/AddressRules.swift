// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// N16, N17, N25: address families.
enum AddressRules {
    static let all = [n16, n17, n25]

    static let n16 = Rule(
        "N16",
        "IPv4, IPv6, both at a wildcard address, and IPv6 alone are served; an unreachable peer is reported.",
        needs: [.sockets, .ipv6]
    ) { check, loop in
        for (host, peers) in [("::1", ["::1"]), ("::", ["::1", "127.0.0.1"]), ("0.0.0.0", ["127.0.0.1"])] {
            let listener = try Listener(on: SocketAddress(host: host, port: 0), loop: loop)
            let port = Int(listener.localAddress.port)
            let accepted = Recorder<Connection>()
            check.accept(from: listener) { accepted.append($0) }
            for (number, peer) in peers.enumerated() {
                let client = try RawPeer(to: try SocketAddress(host: peer, port: port))
                try check.turns(loop, until: "\(peer) is accepted at \(host)") { accepted.count == number + 1 }
                guard let connection = accepted.values.last else { throw Broken("a connection", "none") }
                let expected = host == "::" && peer == "127.0.0.1" ? "::ffff:127.0.0.1" : peer
                check.equal(connection.remoteAddress?.host, expected, "the peer's address at \(host)")
                check.equal(connection.localAddress?.port, UInt16(port), "the local port at \(host)")
                connection.send(from: connection.received)
                client.send("echo".utf8)
                // A read may return a part of the bytes.
                var echo: [UInt8] = []
                try check.turns(loop, until: "\(peer) receives its echo") {
                    if case .bytes(let bytes) = client.receive() { echo += bytes }
                    return echo == Array("echo".utf8)
                }
                client.close()
            }
            accepted.clear()
            listener.close()
        }
        try check.turns(loop, until: "listeners of IPv4 and of IPv6 share a port") {
            let alone = try Listener(
                on: SocketAddress(host: "::", port: 0),
                loop: loop,
                options: [SocketOption.ipv6Only(true)]
            )
            defer { alone.close() }
            // The system has chosen a port that is free in IPv6. In IPv4, a connection of any process on this machine
            // may use that port. If so, the next port is tried.
            let sameOfIPv4 = try SocketAddress(host: "0.0.0.0", port: Int(alone.localAddress.port))
            let code = socketError { try Listener(on: sameOfIPv4, loop: loop).close() }
            if let code { check.equal(code, .addressInUse, "the error of an IPv4 listener on the same port") }
            return code == nil
        }
        let elsewhere = try SocketAddress(host: "192.0.2.1", port: 0)
        let code = socketError { _ = try Listener(on: elsewhere, loop: loop) }
        check.equal(code, .addressNotAvailable, "the error of a listener on an address that is not local")
        // This address has neither a scope nor a route.
        let nowhere = Connection.connect(to: try SocketAddress(host: "fe80::1", port: 9), loop: loop).log()
        try check.turns(loop, until: "an attempt without a route has terminated") { nowhere.hasEnded }
        check.expect(nowhere.code != nil, "the attempt fails", seen: "\(nowhere.ends)")
        try check.turns(loop, 3)
    }

    static let n17 = Rule(
        "N17",
        "Unix sockets by path and by abstract name: a dead server's file is replaced, others are kept, bad paths are rejected.",
        needs: [.sockets]
    ) { check, loop in
        let folder = FileSystem.makeFolder()
        defer { FileSystem.removeFolder(folder) }
        let path = "\(folder)/socket"
        try exchange(check, loop, .unix(path: path))
        check.expect(!FileSystem.exists(path), "a closed listener removes its socket file")
        try exchange(check, loop, .abstract(folder))
        try exchange(check, loop, .abstract(folder))

        let address = try SocketAddress.unix(path: path)
        RawSocket.leaveStale(address)
        check.expect(FileSystem.exists(path), "a dead server leaves its file")
        let listener = try Listener(on: address, loop: loop)
        let taken = socketError { _ = try Listener(on: address, loop: loop) }
        check.equal(taken, .addressInUse, "the error of a second listener on the path")
        // The refused server has not removed the file.
        let connecting = Connection.connect(to: address, loop: loop).log()
        try check.turns(loop, until: "an attempt has terminated") { connecting.hasEnded }
        check.expect(connecting.isCompleted, "the first listener still accepts", seen: "\(connecting.ends)")
        for connection in connecting.values { connection.abort() }
        listener.close()
        try check.turns(loop, 2)
        check.expect(!FileSystem.exists(path), "a closed listener removes its socket file")

        FileSystem.makeFile(path)
        check.equal(
            socketError { _ = try Listener(on: address, loop: loop) },
            .addressInUse,
            "the path of a file"
        )
        check.expect(FileSystem.exists(path), "a file that is no socket is kept")
        FileSystem.removeFile(path)
        let long = socketError { _ = try SocketAddress.unix(path: String(repeating: "x", count: 108)) }
        check.equal(long, .pathTooLong, "the error of a path of 108 bytes")
        let nowhere = try SocketAddress.unix(path: "\(folder)/no-such-folder/x")
        check.equal(
            socketError { _ = try Listener(on: nowhere, loop: loop) },
            .noSuchPath,
            "the error of a listener in a missing folder"
        )
    }

    static let n25 = Rule(
        "N25",
        "Only a dead socket's file is replaced, not that of a bound socket that does not listen; one of several servers succeeds.",
        needs: [.sockets]
    ) { check, loop in
        let folder = FileSystem.makeFolder()
        defer { FileSystem.removeFolder(folder) }
        let path = "\(folder)/socket"
        let address = try SocketAddress.unix(path: path)
        for kind in SocketKind.allCases {
            let other = RawSocket.bound(to: address, kind)
            let taken = socketError { _ = try Listener(on: address, loop: loop) }
            check.equal(taken, .addressInUse, "the error of a listener on the path of a bound \(kind) socket")
            let datagrams = socketError { _ = try DatagramSocket(on: address, loop: loop) }
            check.equal(
                datagrams,
                .addressInUse,
                "the error of a datagram socket on the path of a bound \(kind) socket"
            )
            check.expect(FileSystem.exists(path), "the file of the bound socket is kept")
            Descriptor.close(other)
            FileSystem.removeFile(path)
        }
        for _ in 0..<check.rounds(20) {
            RawSocket.leaveStale(address)
            let (made, refused) = (Recorder<Listener>(), Box(0))
            check.onThreads(4) { _ in
                let code = socketError { made.append(try Listener(on: address, loop: loop)) }
                if code == .addressInUse { refused.increment() }
            }
            check.equal([made.count, refused.value], [1, 3], "listeners and refusals, of four that start together")
            let (accepted, subscription) = (Box(0), SignalSubscription())
            for listener in made.values {
                check.accept(from: listener, in: subscription) { _ in accepted.increment() }
            }
            let client = try RawPeer(to: address)
            try check.turns(loop, until: "the only listener accepts") { accepted.value == 1 }
            client.close()
            subscription.dispose()
            for listener in made.values { listener.close() }
            made.clear()
            try check.turns(loop, 2)
        }
        check.expect(!FileSystem.exists(path), "a closed listener removes its socket file")
        try waiting(check, loop, folder)
    }

    /// Two servers that find the same dead socket file while this thread locks the folder. The second server must check
    /// again.
    private static func waiting(_ check: Check, _ loop: any LoopScheduler, _ folder: String) throws {
        let path = "\(folder)/socket"
        let address = try SocketAddress.unix(path: path)
        for _ in 0..<3 {
            let lock = FileSystem.lockFolder(folder)
            RawSocket.leaveStale(address)
            let made = Recorder<Listener>()
            let starters = (0..<2).map { _ in
                check.thread { _ = socketError { made.append(try Listener(on: address, loop: loop)) } }
            }
            // A server that starts later finds a live socket. Then the check proves less, but does not fail.
            Platform.pause(.milliseconds(100))
            Descriptor.close(lock)
            for starter in starters { starter.join() }
            check.expect(made.count, "at most one listener of two that found the same dead socket") { $0 <= 1 }
            for listener in made.values { listener.close() }
            made.clear()
            try check.turns(loop, 2)
            FileSystem.removeFile(path)
        }
    }

    private static func exchange(_ check: Check, _ loop: any LoopScheduler, _ address: SocketAddress) throws {
        let listener = try Listener(on: address, loop: loop)
        check.equal(listener.localAddress, address, "the address of the listener")
        check.echo(from: listener)
        let connecting = Connection.connect(to: address, loop: loop).log()
        try check.turns(loop, until: "an attempt to \(address) has terminated") { connecting.hasEnded }
        guard let connection = connecting.values.first else { throw Broken("a connection", "\(connecting.ends)") }
        let received = connection.received.log()
        let data = check.noise(300_000)
        connection.send(Bytes(data))
        connection.finishSending()
        try check.turns(loop, until: "the echo has ended") { received.hasEnded }
        check.expect(received.bytes, sent: data, "300 000 bytes are echoed")
        listener.close()
        try check.turns(loop, 2)
    }
}
