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
    /// The signals that a service may return. Nearly always that is a send through its connection.
    @Suite struct ServiceTests {
        private func serve(
            _ kind: LoopKind,
            _ service: @escaping @Sendable (Connection) -> Signal<Never, SocketError>
        ) throws -> Server {
            let loops = try LoopGroup(count: 1) { _ throws(LoopError) in try kind.make(thread: .owned) }
            return try Server(on: ownLoopback(), loops: loops, service: service)
        }

        /// Sends the text, ends the stream, and expects the same text back.
        private func echo(_ server: Server, _ text: String = "hello") throws {
            let client = try RawPeer(to: server.localAddress)
            client.send(Array(text.utf8))
            client.finish()
            #expect(client.receiveAll() == (Array(text.utf8), .end))
            client.close()
        }

        @Test("A signal derived from a send serves like the send itself", arguments: LoopKind.all)
        func derived(_ kind: LoopKind) throws {
            let ends = Recorder<String>()
            let server = try serve(kind) { connection in
                connection.send(from: connection.received).handleEvents(onTermination: { ends.append("\($0)") })
            }
            try echo(server)
            try waitUntil("the end of the connection") { server.totals.ended == 1 }
            #expect(ends.values == ["completed"])
            try stop(server)
        }

        @Test(
            "An observer in the service is notified first, then the service is disposed, then the server reports it",
            arguments: LoopKind.all
        )
        func disposed(_ kind: LoopKind) throws {
            let order = Recorder<String>()
            let server = try serve(kind) { connection in
                connection.ended.subscribe(onTermination: { _ in order.append("gone") })
                connection.send(from: connection.received)
                return Signal { _, subscription in subscription.onDispose { order.append("disposed") } }
            }
            server.events.subscribe(onValue: { event in if case .ended = event { order.append("ended") } })
            try echo(server)
            try waitUntil("the end of the connection") { server.totals.ended == 1 }
            #expect(order.values == ["gone", "disposed", "ended"])
            try stop(server)
        }

        @Test(
            "A send keeps serving while others observe it and after they stop",
            arguments: LoopKind.all,
            [false, true]
        )
        func observed(_ kind: LoopKind, _ isLater: Bool) throws {
            let ends = Recorder<String>()
            let server = try serve(kind) { connection in
                let end = connection.send(from: connection.received)
                let observe: @Sendable () -> Void = {
                    end.subscribe(onTermination: { ends.append("\($0)") })
                    end.subscribe(onTermination: { _ in ends.append("disposed") }).dispose()
                }
                if isLater { connection.loop.execute(observe) } else { observe() }
                return end
            }
            for _ in 0..<2 { try echo(server) }
            try waitUntil("the ends") { server.totals.ended == 2 }
            #expect(ends.values == ["completed", "completed"])
            try stop(server)
        }

        @Test(
            "A service that has sent all its data completes when the kernel has accepted the data",
            arguments: LoopKind.all
        )
        func stalled(_ kind: LoopKind) throws {
            let data = noise(8_000_000)
            let server = try serve(kind) { $0.send(from: Signal<Bytes, Never>(just: Bytes(data))) }
            let client = try RawPeer(to: server.localAddress, receiveBuffer: 4096)
            try waitUntil("the connection") { server.totals.accepted == 1 }
            #expect(client.receiveAll() == (data, .end))
            client.close()
            try waitUntil("the end of the connection") { server.totals.ended == 1 }
            #expect(server.totals.failed == 0)
            try stop(server)
        }

        @Test(
            "A send through another connection can be the service, and its completion closes the served connection",
            arguments: LoopKind.all
        )
        func relayed(_ kind: LoopKind) throws {
            let first = Lock<Connection?>(nil)
            let server = try serve(kind) { connection in
                let other = first.withLock { first in
                    defer { first = first ?? connection }
                    return first
                }
                return other.map { $0.send(from: connection.received) } ?? .never
            }
            let listening = try RawPeer(to: server.localAddress)
            try waitUntil("the first") { first.withLock { $0 } != nil }
            let sending = try RawPeer(to: server.localAddress)
            sending.send(Array("over".utf8))
            sending.finish()
            #expect(listening.receiveAll() == (Array("over".utf8), .end))
            #expect(sending.receiveAll() == ([], .end))
            try waitUntil("the end of the sending connection") { server.totals.ended == 1 }
            sending.close()
            // No one receives from the connection, so its end is not noticed.
            listening.close()
            first.withLock { first in first = nil }
            try stop(server)
        }

        @Test("A connection that its own service aborts counts as served once", arguments: LoopKind.all)
        func brokenOff(_ kind: LoopKind) throws {
            let server = try serve(kind) { connection in
                connection.abort()
                return connection.send(from: connection.received)
            }
            for _ in 0..<3 {
                let client = try RawPeer(to: server.localAddress)
                #expect(client.receiveAll().end == .failed(ECONNRESET))
                client.close()
            }
            try waitUntil("all connections to end") { server.totals.ended == 3 && server.connectionCount.value == 0 }
            #expect(server.totals.accepted == 3 && server.totals.failed == 3)
            try stop(server)
        }

        @Test("A served connection is released with everything that it retains", arguments: LoopKind.all)
        func released(_ kind: LoopKind) throws {
            let connections = Recorder<UnsafeTransfer<Weak<Connection>>>()
            let server = try serve(kind) { connection in
                connections.append(UnsafeTransfer(Weak(connection)))
                return connection.send(from: connection.received)
            }
            for _ in 0..<3 { try echo(server) }
            try waitUntil("all connections to end") { server.totals.ended == 3 }
            try waitUntil("the release of all connections") { connections.values.allSatisfy { $0.value.object == nil } }
            try stop(server)
        }
    }
}
