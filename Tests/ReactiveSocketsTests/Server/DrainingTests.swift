// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct DrainingTests {
        /// An echo server whose service says goodbye when the server drains.
        private func polite(_ kind: LoopKind, _ loops: Int) throws -> Server {
            try Server(on: ownLoopback(), loops: ServerFixture.group(kind, loops)) { connection in
                connection.send(from: connection.received.take(until: connection.draining).concat(value: "bye"))
            }
        }

        /// A server whose service never ends, and its connections.
        private func stubborn(_ kind: LoopKind) throws -> (Server, Recorder<Connection>) {
            let connections = Recorder<Connection>()
            let server = try Server(on: ownLoopback(), loops: ServerFixture.group(kind, 1)) { connection in
                connections.append(connection)
                return .never
            }
            return (server, connections)
        }

        @Test("A service says goodbye within the grace period", arguments: LoopKind.all, [1, 2])
        func goodbye(_ kind: LoopKind, _ loops: Int) throws {
            let server = try polite(kind, loops)
            let clients = try (0..<6).map { _ in try RawPeer(to: server.localAddress) }
            for client in clients { ServerFixture.exchange(client) }
            let isOver = Latch()
            server.drain(within: .seconds(1000)).subscribe(onTermination: { _ in isOver.arrive() })
            for client in clients {
                #expect(client.receiveAll() == (Array("bye".utf8), .end))
                client.close()
            }
            try isOver.wait()
            #expect(server.totals.failed == 0 && server.totals.ended == 6)
            try stop(server)
        }

        @Test(
            "Early and late observers of a drain receive one value on their loop, however often the server drains",
            arguments: LoopKind.all
        )
        func observers(_ kind: LoopKind) throws {
            let (server, connections) = try stubborn(kind)
            let client = try RawPeer(to: server.localAddress)
            try waitUntil("the connection") { connections.count == 1 }
            let connection = connections.values[0]
            let values = Recorder<Bool>()
            let ends = Recorder<Bool>()
            func observe() -> SignalSubscription {
                let loop = connection.loop
                return connection.draining.subscribe(
                    onValue: { values.append(loop.isCurrent) },
                    onTermination: { _ in ends.append(loop.isCurrent) }
                )
            }
            _ = observe()
            observe().dispose()
            try connection.loop.sync()
            #expect(values.count == 0 && ends.count == 0)
            server.drain(within: .seconds(1000))
            server.drain(within: .seconds(900))
            try waitUntil("the early observer") { ends.count == 1 }
            _ = observe()
            try waitUntil("the late observer") { ends.count == 2 }
            // Without an observer, the service goes on. Stopping does not report the drain again.
            #expect(connection.core.value.isOpen)
            try stop(server)
            #expect(values.values == [true, true] && ends.values == [true, true])
            client.close()
        }

        @Test("A connection that ends before a drain completes its observers without a value", arguments: LoopKind.all)
        func endsBefore(_ kind: LoopKind) throws {
            let (server, connections) = try stubborn(kind)
            let client = try RawPeer(to: server.localAddress)
            try waitUntil("the connection") { connections.count == 1 }
            let log = connections.values[0].draining.log()
            connections.values[0].abort()
            try waitUntil("the end of the observer") { log.hasEnded }
            let late = connections.values[0].draining.log()
            try waitUntil("the end of a late observer") { late.hasEnded }
            #expect(log.values.count == 0 && late.values.count == 0)
            client.close()
            try stop(server)
        }

        @Test("A service whose connection ends does not say goodbye", arguments: LoopKind.all, [false, true])
        func noGoodbye(_ kind: LoopKind, _ isReset: Bool) throws {
            let goodbyes = Box(0)
            let server = try Server(on: ownLoopback(), loops: ServerFixture.group(kind, 1)) { connection in
                connection.received.subscribe(onValue: { _ in }, onTermination: { _ in })
                let goodbye = Signal<Never, SocketError> { emitter, _ in
                    goodbyes.increment()
                    emitter.complete()
                }
                return Signal<Never, SocketError>.never.take(until: connection.draining).concat(goodbye)
            }
            let client = try RawPeer(to: server.localAddress)
            try waitUntil("the connection") { server.totals.accepted == 1 }
            try server.loops.loops[0].sync()
            if isReset {
                client.reset()
                try waitUntil("the end of the connection") { server.totals.ended == 1 }
                try server.loops.loops[0].sync()
                #expect(goodbyes.value == 0)
            } else {
                server.drain(within: .seconds(1000))
                #expect(client.receiveAll().end == .end)
                #expect(goodbyes.value == 1)
                client.close()
            }
            try stop(server)
        }

        @Test("Without a server, draining never sends or terminates", arguments: LoopKind.all)
        func noServer(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let log = connection.draining.log()
            connection.abort()
            try server.loop.turns(3)
            #expect(log.values.isEmpty && !log.hasEnded)
            try server.expectNothingLeft(after: client)
        }

        @Test("Disposing the loops releases observers of a drain that retain their connection", arguments: LoopKind.all)
        func loopDisposed(_ kind: LoopKind) throws {
            let cores = Recorder<UnsafeTransfer<Weak<ConnectionCore>>>()
            let server = try Server(on: ownLoopback(), loops: ServerFixture.group(kind, 1)) { connection in
                cores.append(UnsafeTransfer(Weak(connection.core.value)))
                connection.draining.subscribe(onValue: { connection.close() })
                return .never
            }
            let client = try RawPeer(to: server.localAddress)
            try waitUntil("the connection") { cores.count == 1 }
            try server.loops.loops[0].sync()
            server.loops.dispose()
            let isOver = Latch()
            server.drain(within: .seconds(1000)).subscribe(onTermination: { _ in isOver.arrive() })
            try isOver.wait()
            try waitUntil("the release of the connection") { cores.values[0].value.object == nil }
            client.close()
        }
    }
}
