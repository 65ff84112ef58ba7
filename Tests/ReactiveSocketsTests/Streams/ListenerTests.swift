// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct ListenerTests {
        @Test("N4: a thousand simultaneous peers are all accepted", arguments: LoopKind.all)
        func burst(_ kind: LoopKind) throws {
            DescriptorLimit.raise()
            let server = try TestServer(kind)
            // The kernel may queue fewer.
            let number = min(1000, Platform.listenQueueLimit)
            let clients = try (0..<number).map { _ in try RawPeer(to: server.listener.localAddress) }
            let count = Box(0)
            server.listener.connections.subscribe(onValue: { _ in count.increment() }, onTermination: noFailure())
            try server.loop.turns { count.value == number }
            for client in clients { client.close() }
            try server.expectNothingLeft()
        }

        @Test("N4: during a pause and after a disposal, peers stay in the queue", arguments: LoopKind.all)
        func queue(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let clients = try (0..<10).map { _ in try RawPeer(to: server.listener.localAddress) }
            let (count, hold) = (Box(0), Box<(any Disposable)?>(nil))
            let subscription = SignalSubscription()
            server.listener.connections.subscribe(
                in: subscription,
                onValue: { _ in if count.increment() == 3 { hold.value = subscription.pause() } },
                onTermination: noFailure()
            )
            try server.loop.turns { count.value >= 3 }
            try server.loop.turns(20)
            #expect(count.value == 3)
            hold.value?.dispose()
            try server.loop.turns { count.value == 10 }
            subscription.dispose()
            let late = try RawPeer(to: server.listener.localAddress)
            try server.loop.turns(5)
            #expect(count.value == 10)
            server.listener.connections.subscribe(onValue: { _ in count.increment() }, onTermination: noFailure())
            try server.loop.turns { count.value == 11 }
            for client in clients { client.close() }
            try server.expectNothingLeft(after: late)
        }

        @Test(
            "N6: an address in use is refused without a leak, and a closed one can be used immediately",
            arguments: LoopKind.all
        )
        func addressInUse(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let address = server.listener.localAddress
            let (client, connection) = try server.connect()
            let before = OpenSockets.count(on: address)
            let error = #expect(throws: SocketError.self) { try Listener(on: address, loop: server.loop) }
            #expect(error?.code == .addressInUse && error?.errno == EADDRINUSE)
            #expect(error?.message.contains(address.description) == true)
            #expect(OpenSockets.count(on: address) == before)
            server.listener.close()
            try server.loop.turns(1)
            // The old connection is still open.
            let again = try whenFree { try Listener(on: address, loop: server.loop) }
            again.close()
            connection.close()
            try server.expectNothingLeft(after: client)
        }

        @Test("Each refusal of the system has its own error code")
        func refusals() throws {
            let loop = try LoopKind.dispatch.make()
            let elsewhere = try SocketAddress(host: "192.0.2.1", port: 0)
            let error = #expect(throws: SocketError.self) { try Listener(on: elsewhere, loop: loop) }
            #expect(error?.code == .addressNotAvailable)
        }

        @Test("A second observer is refused, and close completes the observer", arguments: LoopKind.all)
        func observers(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let first = server.listener.connections.log()
            let second = server.listener.connections.log()
            try server.loop.turns(2)
            #expect(second.code == .alreadyReceiving)
            #expect(!first.hasEnded)
            server.listener.close()
            server.listener.close()
            try server.loop.turns { first.hasEnded }
            #expect(first.isCompleted)
            let third = server.listener.connections.log()
            try server.loop.turns { third.hasEnded }
            #expect(third.isCompleted)
            try server.expectNothingLeft()
        }

        @Test(
            "N15: the listener or a connection can be closed while the connection is delivered",
            arguments: LoopKind.all
        )
        func closingInside(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let clients = try (0..<5).map { _ in try RawPeer(to: server.listener.localAddress) }
            let (listener, count, ends) = (server.listener, Box(0), Box(0))
            listener.connections.subscribe(
                onValue: { connection in
                    connection.close()
                    if count.increment() == 2 { listener.close() }
                },
                onTermination: { _ in ends.increment() }
            )
            try server.loop.turns { ends.value == 1 }
            #expect(count.value == 2)
            for client in clients[..<2] { #expect(try server.receiveToEnd(at: client).end == .end) }
            for client in clients { client.close() }
            try server.expectNothingLeft()
        }

        @Test("N16: a listener serves IPv6, and both families at the wildcard address", arguments: LoopKind.all)
        func families(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            for (host, peers) in [("::1", ["::1"]), ("::", ["::1", "127.0.0.1"]), ("0.0.0.0", ["127.0.0.1"])] {
                let listener = try Listener(on: SocketAddress(host: host, port: 0), loop: loop)
                let port = Int(listener.localAddress.port)
                let accepted = Recorder<Connection>()
                listener.connections.subscribe(onValue: { accepted.append($0) }, onTermination: noFailure())
                for (index, peer) in peers.enumerated() {
                    let client = try RawPeer(to: SocketAddress(host: peer, port: port))
                    try loop.turns { accepted.count > index }
                    let connection = accepted.values[index]
                    let isMapped = host == "::" && peer == "127.0.0.1"
                    let expected = isMapped ? "::ffff:127.0.0.1" : peer
                    #expect(connection.remoteAddress?.host == expected)
                    #expect(connection.localAddress?.host == expected)
                    #expect(connection.localAddress?.port == UInt16(port))
                    connection.send(from: connection.received)
                    client.send("echo".utf8)
                    try loop.turns { client.receive() == .bytes(Array("echo".utf8)) }
                }
                listener.close()
            }
        }

        @Test(
            "Connections at one address share a context, and the framework's loops call them without a closure",
            arguments: LoopKind.all
        )
        func contexts(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            #expect(loop is any OwnerWatching)
            let listener = try Listener(on: SocketAddress(host: "0.0.0.0", port: 0), loop: loop)
            let port = Int(listener.localAddress.port)
            let accepted = Recorder<Connection>()
            listener.connections.subscribe(onValue: { accepted.append($0) }, onTermination: noFailure())
            let hosts = ["127.0.0.1", "127.0.0.1", "127.0.0.2"]
            // One after the other, because clients with different addresses may have the same port.
            var clients: [RawPeer] = []
            for host in hosts {
                clients.append(try RawPeer(to: SocketAddress(host: host, port: port)))
                try loop.turns { accepted.count == clients.count }
            }
            let connections = accepted.values
            let contexts = connections.map { $0.core.value.context }
            #expect(contexts[0] === contexts[1] && contexts[0] !== contexts[2])
            #expect(connections.map { $0.localAddress?.host } == hosts)
            listener.close()
        }

        @Test(
            "N20: descriptors do not block and are not inherited, and connections disable Nagle's algorithm",
            arguments: LoopKind.all
        )
        func flags(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let accepted = connection.core.value.socket.descriptor
            for descriptor in [accepted, server.listener.core.value.bound.socket.descriptor] {
                #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
                #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
            }
            var option: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &option, &length)
            #expect(option != 0)
            connection.abort()
            try server.expectNothingLeft(after: client)
        }

        @Test("A listener without references or observers is closed", arguments: LoopKind.all)
        func dropped(_ kind: LoopKind) throws {
            let loop = try kind.make()
            var listener: Listener? = try Listener(on: .loopback(port: 0), loop: loop)
            let port = try #require(listener?.localAddress.port)
            weak let core = listener?.core.value
            let log = try #require(listener?.connections.log())
            listener = nil
            try loop.turns(2)
            // While it is observed, the listener continues.
            let client = try RawPeer(to: .loopback(port: port))
            try loop.turns { log.values.count == 1 }
            log.subscription.dispose()
            client.close()
            try loop.turns(2)
            #expect(core == nil)
            loop.dispose()
        }
    }
}
