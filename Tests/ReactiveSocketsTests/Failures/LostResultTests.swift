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
    /// The discarded results of operations other than `Connection.send(from:)`.
    @Suite struct LostResultTests {
        private func recorder(_ text: String) -> FailureRecorder {
            FailureRecorder { failure in (failure.error as? SocketError)?.message.contains(text) == true }
        }

        @Test(
            "A pipe whose result is discarded reports the reset of one side once",
            arguments: LoopKind.all,
            [true, false]
        )
        func pipe(_ kind: LoopKind, _ isDiscarded: Bool) throws {
            let (left, right) = (try TestServer(kind), try TestServer(kind))
            let ((client, first), (other, second)) = (try left.connect(), try right.connect())
            let recorder = recorder(try #require(first.remoteAddress).description)
            let log = Log<Never, SocketError>()
            if isDiscarded {
                Connection.pipe(first, second)
            } else {
                Connection.pipe(first, second).log(into: log)
            }
            client.reset()
            try left.loop.turns {
                try? right.loop.turns(1)
                return isDiscarded ? !recorder.failures.isEmpty : log.hasEnded
            }
            try left.loop.turns(3)
            try right.loop.turns(3)
            #expect(recorder.operations == (isDiscarded ? ["Connection.pipe"] : []))
            other.close()
        }

        @Test("A discarded line that cannot be sent is reported", arguments: LoopKind.all)
        func line(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (_, connection) = try server.connect()
            // The message of the error names the length of the line.
            let count = 3000 + Int.random(in: 0..<1_000_000)
            let line = String(repeating: "x", count: count - 1) + "\r"
            let recorder = recorder("a line of \(count) bytes")
            let log = connection.send(line: line).log()
            try server.loop.turns { log.hasEnded }
            #expect(log.code == .malformed && recorder.failures.isEmpty)
            connection.send(line: line)
            #expect(recorder.operations == ["Connection.send(line:)"])
            #expect(connection.core.value.isOpen)
            connection.abort()
        }

        @Test("Discarded sends of datagrams report the refusals of the kernel", arguments: LoopKind.all)
        func datagrams(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let socket = try DatagramSocket(on: ownLoopback(), loop: loop)
            let peer = SocketAddress.loopback(port: 9)
            let large = Bytes(repeating: 0, count: 70_000)
            let address = ownLoopback()
            let target = SocketAddress(family: .ipv4, bytes: address.bytes, port: 9)
            let recorder = recorder(target.description)
            socket.send(large, to: target)
            try loop.turns { !recorder.failures.isEmpty }
            #expect(recorder.operations == ["DatagramSocket.send(_:)"])
            let log = socket.send(large, to: target).log()
            try loop.turns { log.hasEnded }
            #expect(recorder.failures.count == 1)
            socket.close()
            try loop.turns(3)
            socket.send("late", to: peer)
            try loop.turns(3)
            #expect(recorder.failures.count == 1)
        }

        @Test("A discarded send(from:) of datagrams reports the failure of its source", arguments: LoopKind.all)
        func datagramSource(_ kind: LoopKind) throws {
            struct Unique: Error { let kind: LoopKind }
            let error = Unique(kind: kind)
            let loop = try kind.make()
            defer { loop.dispose() }
            let socket = try DatagramSocket(on: ownLoopback(), loop: loop)
            let recorder = recorder("the source failed: \(error)")
            socket.send(from: Signal<Datagram, Unique>.fail(error))
            try loop.turns { !recorder.failures.isEmpty }
            #expect(recorder.operations == ["DatagramSocket.send(from:)"])
            let log = socket.send(from: Signal<Datagram, Unique>.fail(error)).log()
            try loop.turns { log.hasEnded }
            #expect(recorder.failures.count == 1)
        }

        @Test("A server counts the resets of its peers and reports none of them", arguments: LoopKind.all)
        func server(_ kind: LoopKind) throws {
            let server = try ServerFixture.echo(kind)
            let events = ServerEvents(server)
            let clients = try (0..<4).map { _ in try RawPeer(to: server.localAddress) }
            for client in clients { ServerFixture.exchange(client) }
            let peers = events.accepted.values.map { $0.remoteAddress?.description ?? "" }
            let recorder = FailureRecorder { failure in
                peers.contains { (failure.error as? SocketError)?.message.contains($0) == true }
            }
            #expect(peers.count == 4)
            for client in clients { client.reset() }
            try waitUntil("the ends") { server.totals.failed == 4 }
            let open = try RawPeer(to: server.localAddress)
            ServerFixture.exchange(open)
            try stop(server)
            open.close()
            #expect(recorder.failures.isEmpty, "\(recorder.failures)")
        }

        @Test("A discarded send to a child that does not read is reported", arguments: LoopKind.all)
        func child(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            // Other loops report failures of peers without an address too.
            let recorder = FailureRecorder { _ in loop.isCurrent }
            let endless = Signal<Bytes, Never>(values: repeatElement(Bytes(repeating: 1, count: 100_000), count: 1000))
            let child = try ChildProcess("/bin/true", standardInput: .piped, loop: loop)
            child.standardInput?.send(from: endless)
            try loop.turns { !recorder.failures.isEmpty }
            #expect(recorder.operations.contains("Connection.send(from:)"))
            withExtendedLifetime(child) {}
        }
    }
}
