// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import ReactiveSupport

/// N4–N6, N20: accepting peers.
enum ListeningRules {
    static let all = [n4, n5, n6, n20]

    static let n4 = Rule.ofSockets(
        "N4",
        "A thousand peers that connect at once are all accepted; without a subscriber or during a pause they stay queued."
    ) { check, loop, bench in
        DescriptorLimit.raise()
        let crowd = try SocketBench(check, loop)
        // The kernel may queue fewer. Each peer needs two descriptors.
        let number = min(1000, Platform.listenQueueLimit, DescriptorLimit.room(for: 2000) / 2)
        let clients = try (0..<number).map { _ in try RawPeer(to: crowd.listener.localAddress) }
        let count = Box(0)
        check.accept(from: crowd.listener) { _ in count.increment() }
        try check.turns(loop, until: "\(number) peers are accepted") { count.value == number }
        for client in clients { client.close() }
        crowd.end()

        let queued = try (0..<10).map { _ in try RawPeer(to: bench.listener.localAddress) }
        let (seen, hold) = (Box(0), Box<(any Disposable)?>(nil))
        let subscription = SignalSubscription()
        let before = Descriptor.all.count
        check.accept(from: bench.listener, in: subscription) { _ in
            if seen.increment() == 3 { hold.value = subscription.pause() }
        }
        try check.turns(loop, until: "three peers are accepted") { seen.value >= 3 }
        try check.turns(loop, 20)
        check.equal(seen.value, 3, "peers accepted until the pause")
        let more = Descriptor.all.count - before
        check.expect(more <= 3, "at most three new descriptors, while the other peers are queued", seen: "\(more)")
        hold.value?.dispose()
        hold.value = nil
        try check.turns(loop, until: "all ten peers are accepted") { seen.value == 10 }
        subscription.dispose()
        let late = try RawPeer(to: bench.listener.localAddress)
        try check.turns(loop, 5)
        check.equal(seen.value, 10, "peers accepted without a subscriber")
        check.accept(from: bench.listener) { _ in seen.increment() }
        try check.turns(loop, until: "the late peer is accepted") { seen.value == 11 }
        for client in queued + [late] { client.close() }
    }

    static let n5 = Rule.ofSockets(
        "N5",
        "A listener without free descriptors does not spin; accepted peers are served, and others when descriptors are free."
    ) { check, loop, bench in
        let served = Recorder<Connection>()
        check.accept(from: bench.listener) { connection in
            served.append(connection)
            connection.send(from: connection.received)
        }
        // When the limit is lowered, twenty peers that have sent bytes wait in the kernel.
        let clients = try (0..<20).map { _ in try RawPeer(to: bench.listener.localAddress) }
        for client in clients { client.send([1]) }
        DescriptorLimit.leave(5)
        check.note("lowers the limit of descriptors")
        try check.turns(loop, until: "no descriptor is free") { DescriptorLimit.isReached }
        try check.turns(loop, 5)
        // The exact number depends on the loop's own descriptors.
        let room = served.count
        check.expect(room > 0 && room < 12, "1 to 11 of 20 peers are served with 5 free descriptors", seen: "\(room)")

        let turns = Recorder<UInt64>()
        loop.execute { turns.append(loop.turn) }
        let busy = Platform.threadTime
        loop.schedule(after: .milliseconds(500)) {
            turns.append(loop.turn)
            loop.stop()
        }
        try loop.run()
        check.expect(turns.span, "at most 60 turns in half a second") { $0 <= 60 }
        let used = Platform.threadTime - busy
        check.expect(used, "less than 50 ms of processor time in half a second") {
            $0 < .milliseconds(50) * check.scale
        }
        check.equal(served.count, room, "peers served without free descriptors")

        // Each closed connection frees a descriptor for another connection.
        for (number, client) in clients.enumerated() {
            try check.turns(loop, until: "peer \(number) receives its echo") { client.receive() == .bytes([1]) }
            client.close()
        }
        try check.turns(loop, until: "all peers are served") { served.count == clients.count }
        DescriptorLimit.raise()
        served.clear()
    }

    static let n6 = Rule.ofSockets(
        "N6",
        "An address in use is refused (`addressInUse`) and nothing leaks; once its listener has closed, it is free at once."
    ) { check, loop, bench in
        let address = bench.listener.localAddress
        let (client, connection) = try bench.connect()
        let before = OpenSockets.descriptors(on: address)
        let code = socketError { _ = try Listener(on: address, loop: loop) }
        check.equal(code, .addressInUse, "the error of a second listener")
        check.equal(OpenSockets.descriptors(on: address), before, "descriptors on that address")
        bench.listener.close()
        try check.turns(loop, 1)
        // The old connection is still open.
        let again = try Listener(on: address, loop: loop)
        again.close()
        connection.close()
    }

    static let n20 = Rule(
        "N20",
        "Sockets of listeners and connections are nonblocking, are not inherited by children, and send without delay.",
        needs: [.sockets]
    ) { check, loop in
        let before = Descriptor.all
        let bench = try SocketBench(check, loop)
        let (client, connection) = try bench.connect()
        let connecting = Connection.connect(to: bench.listener.localAddress, loop: loop).log()
        try check.turns(loop, until: "an outgoing connection is established") { connecting.hasEnded }
        let own = Descriptor.all.subtracting(before).subtracting([client.descriptor])
        let sockets = own.filter { OpenSockets.localAddress(of: $0).map { $0.family != .unix } ?? false }
        check.expect(sockets.count >= 3, "at least three sockets", seen: "\(sockets.count)")
        for descriptor in own {
            let what = "descriptor \(descriptor), \(ProcFS.target(of: "/proc/self/fd/\(descriptor)") ?? "?"),"
            check.expect(Descriptor.isClosedOnExec(descriptor), "\(what) is not inherited")
        }
        for descriptor in sockets {
            check.expect(Descriptor.isNonblocking(descriptor), "socket \(descriptor) is nonblocking")
            let isConnected = OpenSockets.peerAddress(of: descriptor) != nil
            if isConnected { check.expect(RawSocket.hasNoDelay(descriptor), "socket \(descriptor) has TCP_NODELAY") }
        }
        connection.abort()
        for connection in connecting.values { connection.abort() }
        client.close()
        bench.listener.close()
        try check.turns(loop, 3)
    }
}
