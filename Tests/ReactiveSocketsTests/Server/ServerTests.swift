// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Synchronization
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct ServerTests {
        @Test("A server serves peers on every loop, and its totals are correct", arguments: LoopKind.all)
        func serving(_ kind: LoopKind) throws {
            let server = try ServerFixture.echo(kind, 3)
            let events = ServerEvents(server)
            // With sixty connections the kernel's hash practically never leaves one of three sockets unused.
            let clients = try (0..<60).map { _ in try RawPeer(to: server.localAddress) }
            for client in clients { ServerFixture.exchange(client) }
            try waitUntil("the connection count") { server.connectionCount.value == 60 }
            #expect(Set(events.accepted.values.map { ObjectIdentifier($0.loop) }).count == 3)
            for client in clients { client.finish() }
            try waitUntil("all connections to end") { server.totals.ended == 60 && server.connectionCount.value == 0 }
            #expect(server.totals == ServerTotals(accepted: 60, ended: 60, received: 300, sent: 300))
            #expect(events.ended.values.allSatisfy { $0.received == 5 && $0.sent == 5 && $0.failure == nil })
            for client in clients { client.close() }
            try stop(server)
            try events.isOver.wait()
        }

        @Test("A Unix server assigns its peers to the loops in rotation", arguments: LoopKind.all)
        func unix(_ kind: LoopKind) throws {
            let address = abstractName()
            let server = try Server(on: address, loops: ServerFixture.group(kind, 2)) { connection in
                connection.send(from: connection.received)
            }
            let events = ServerEvents(server)
            let client = try kind.make(name: "client", thread: .owned)
            for number in 0..<4 {
                let log = Connection.connect(to: address, loop: client).log()
                try waitUntil("connection \(number)") { log.hasEnded }
                let connection = try #require(log.values.first)
                let received = connection.received.log()
                connection.send("hello")
                connection.finishSending()
                let ended = connection.ended.log()
                try waitUntil("echo \(number)") { ended.hasEnded }
                #expect(received.bytes == Array("hello".utf8))
            }
            try waitUntil("all connections to end") { server.totals.ended == 4 }
            let places = events.accepted.values.map { connection in
                server.loops.loops.firstIndex { $0 === connection.loop }
            }
            #expect(places == [0, 1, 0, 1])
            try stop(server)
            client.dispose()
        }

        @Test(
            "At the connection limit peers wait in the kernel, and are served when a connection ends",
            arguments: LoopKind.all,
            [1, 2]
        )
        func limit(_ kind: LoopKind, _ loops: Int) throws {
            let server = try ServerFixture.echo(kind, loops, limits: ServerLimits(maxConnections: 3))
            let clients = try (0..<20).map { _ in try RawPeer(to: server.localAddress) }
            for client in clients { client.send([1]) }
            var answered = 0
            var most = 0
            var open = clients
            try waitUntil("an echo for every client") {
                most = max(most, server.totals.accepted - server.totals.ended)
                for (index, client) in open.enumerated().reversed() {
                    if case .bytes = client.receive() {
                        answered += 1
                        client.close()
                        open.remove(at: index)
                    }
                }
                return open.isEmpty
            }
            #expect(answered == 20 && most <= 3)
            try waitUntil("all connections to end") { server.totals.ended == 20 }
            #expect(server.totals.accepted == 20)
            try stop(server)
        }

        @Test("Limits below one count as one, even if they are set after the creation")
        func zeroLimits() {
            var limits = ServerLimits()
            (limits.maxConnections, limits.maxConnectionsPerAddress) = (0, -3)
            #expect(limits == ServerLimits(maxConnections: 1, maxConnectionsPerAddress: 1))
            (limits.maxConnections, limits.maxConnectionsPerAddress) = (nil, nil)
            #expect(limits == ServerLimits())
        }

        @Test(
            "Connections beyond the limit of an address are reset, and those of other addresses are not",
            arguments: LoopKind.all
        )
        func perAddress(_ kind: LoopKind) throws {
            let server = try ServerFixture.echo(kind, 2, limits: ServerLimits(maxConnectionsPerAddress: 2))
            let events = ServerEvents(server)
            let two = try (0..<2).map { _ in try RawPeer(to: server.localAddress) }
            for client in two { ServerFixture.exchange(client) }
            let third = try RawPeer(to: server.localAddress)
            try waitUntil("the third connection") { events.accepted.count + events.refused.count == 3 }
            try #require(events.refused.count == 1 && server.totals.refused == 1)
            #expect(third.receiveAll().end == .failed(ECONNRESET))
            // Connects from another address of this machine.
            let loop = try kind.make(name: "client", thread: .owned)
            let settings = ConnectSettings(localAddress: try SocketAddress(host: "127.0.0.2", port: 0))
            let other = Connection.connect(to: server.localAddress, loop: loop, settings: settings).log()
            try waitUntil("the other connection") { other.hasEnded }
            let log = try #require(other.values.first).received.log()
            other.values.first?.send("x")
            try waitUntil("the echo of the other connection") { log.bytes == [120] }
            // A freed slot can be used again.
            two[0].close()
            try waitUntil("a free slot") { server.totals.ended == 1 }
            let fourth = try RawPeer(to: server.localAddress)
            ServerFixture.exchange(fourth)
            for client in [two[1], fourth] { client.close() }
            other.values.first?.abort()
            try waitUntil("all connections to end") { server.connectionCount.value == 0 }
            try stop(server)
            loop.dispose()
        }

        @Test(
            "Connections beyond the rate of an address are reset and counted, on all loops together",
            arguments: LoopKind.all
        )
        func rateOfAnAddress(_ kind: LoopKind) throws {
            let limits = ServerLimits(connectionRatePerAddress: TokenRate(1, per: .seconds(3600), burst: 3))
            let server = try ServerFixture.echo(kind, 2, limits: limits)
            let events = ServerEvents(server)
            for _ in 0..<3 {
                let client = try RawPeer(to: server.localAddress)
                ServerFixture.exchange(client)
                client.close()
            }
            for _ in 0..<2 {
                let client = try RawPeer(to: server.localAddress)
                #expect(client.receiveAll().end == .failed(ECONNRESET))
            }
            try waitUntil("the refusals") { events.refused.values.count == 2 && server.totals.refused == 2 }
            #expect(server.totals.accepted == 3)
            try waitUntil("all connections to end") { server.connectionCount.value == 0 }
            try stop(server)
        }

        @Test("Timeouts apply to each connection", arguments: LoopKind.all)
        func timeouts(_ kind: LoopKind) throws {
            let limits = ServerLimits(timeouts: ConnectionTimeouts(idle: .milliseconds(30)))
            let server = try ServerFixture.echo(kind, 1, limits: limits)
            let events = ServerEvents(server)
            let client = try RawPeer(to: server.localAddress)
            _ = client.receiveAll()
            try waitUntil("the end of the connection") { events.ended.values.count == 1 && server.totals.failed == 1 }
            #expect(events.ended.values.first?.failure?.code == .timedOut)
            #expect((events.ended.values.first?.duration ?? .zero) >= .milliseconds(30))
            client.close()
            try stop(server)
        }

        @Test(
            "A completed service closes its connection, a failed one resets it, and other connections are not affected",
            arguments: LoopKind.all
        )
        func ends(_ kind: LoopKind) throws {
            let number = Atomic<Int>(0)
            let loops = try ServerFixture.group(kind, 1)
            let server = try Server(on: ownLoopback(), loops: loops) { connection in
                switch number.add(1, ordering: .relaxed).newValue {
                case 1: return connection.send(from: connection.received)
                case 2:
                    connection.send("bye")
                    return .empty
                default: return .fail(SocketError(.malformed, "not today"))
                }
            }
            let events = ServerEvents(server)
            let stays = try RawPeer(to: server.localAddress)
            ServerFixture.exchange(stays)
            let closed = try RawPeer(to: server.localAddress)
            #expect(closed.receiveAll() == (Array("bye".utf8), .end))
            closed.close()
            let broken = try RawPeer(to: server.localAddress)
            #expect(broken.receiveAll().end == .failed(ECONNRESET))
            try waitUntil("the report of the failure") { events.ended.values.contains { $0.failure != nil } }
            #expect(events.ended.values.compactMap(\.failure).map(\.message) == ["not today"])
            ServerFixture.exchange(stays)
            try waitUntil("the end of both connections") { server.totals.ended == 2 }
            #expect(server.connectionCount.value <= 3)
            stays.close()
            try stop(server)
        }

        @Test("N6: a server on one or several loops refuses a port in use", arguments: LoopKind.all, [1, 2])
        func taken(_ kind: LoopKind, _ loops: Int) throws {
            let first = try ServerFixture.echo(kind, 2)
            let group = try ServerFixture.group(kind, loops)
            let error = #expect(throws: SocketError.self) {
                try Server(on: first.localAddress, loops: group) { $0.send(from: $0.received) }
            }
            #expect(error?.code == .addressInUse)
            #expect(OpenSockets.count(on: first.localAddress) == 2)
            group.dispose()
            try stop(first)
        }

        @Test("A group returns its loops in rotation, and disposes all of them")
        func group() throws {
            let group = try ServerFixture.group(.dispatch, 3)
            #expect((0..<4).map { _ in group.next().name } == ["worker-0", "worker-1", "worker-2", "worker-0"])
            group.loops[2].dispose()
            #expect((0..<3).map { _ in group.next().name } == ["worker-1", "worker-0", "worker-1"])
            group.dispose()
            #expect(group.next().isDisposed)
            #expect(group.loops.allSatisfy { $0.isDisposed })
            let made = Recorder<any LoopScheduler>()
            #expect(throws: LoopError.self) {
                _ = try LoopGroup(count: 3) { number throws(LoopError) in
                    if number == 2 { throw LoopError(.badArgument, "no third") }
                    let loop = try LoopKind.dispatch.make()
                    made.append(loop)
                    return loop
                }
            }
            #expect(made.values.count == 2 && made.values.allSatisfy { $0.isDisposed })
            let smallest = try ServerFixture.group(.dispatch, 0)
            #expect(smallest.loops.count == 1)
            smallest.dispose()
        }
    }
}
