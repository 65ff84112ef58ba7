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
    /// A peer that sends its last bytes, and resets the connection while this side still sends.
    @Suite struct RefusedSendTests {
        /// A connection whose send buffer is full. The peer then sends `bytes`, and resets the connection by leaving with
        /// unread bytes.
        private func site(
            _ kind: LoopKind,
            _ bytes: [UInt8],
            prepare: (Connection) throws -> Void
        ) throws -> (TestServer, Connection, Log<Never, SocketError>) {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect(receiveBuffer: 4096)
            try prepare(connection)
            let sent = connection.send(Bytes(noise(16_000_000))).log()
            try server.loop.turns { connection.core.value.sending.isBlocked }
            // The loop does not run in between. The bytes fit into the window, so they arrive before the reset.
            try #require(client.send(bytes) == bytes.count)
            try waitUntil("arrival of \(bytes.count) bytes") { client.unsentCount == 0 }
            client.close()
            // A copy of the client's descriptor, in a child that is being started, delays the reset.
            try #require(Descriptor.wait(for: connection.core.value.socket.descriptor, 0))
            return (server, connection, sent)
        }

        @Test("The reader receives what has arrived before the send fails", arguments: LoopKind.all, [1, 50_000])
        func lastWords(_ kind: LoopKind, _ count: Int) throws {
            let bytes = noise(count)
            let received = Box<Log<Bytes, SocketError>?>(nil)
            let (server, connection, sent) = try site(kind, bytes) { received.value = $0.received.log() }
            let log = try #require(received.value)
            let ended = connection.ended.log()
            let late = connection.send("late").log()
            try server.loop.turns { ended.hasEnded }
            #expect(log.bytes == bytes && log.code == .reset)
            #expect(sent.code == .reset && late.code == .reset && ended.code == .reset)
            let again = connection.received.log()
            try server.loop.turns { again.hasEnded }
            #expect(again.code == .reset && connection.isWritable.value)
            try server.expectNothingLeft()
        }

        @Test("Sends and ends during the last bytes fail with the reset", arguments: LoopKind.all, 0..<5)
        func inside(_ kind: LoopKind, _ way: Int) throws {
            let (results, received) = (Recorder<Log<Never, SocketError>>(), Recorder<Bytes>())
            let ends = Box(0)
            let (server, connection, sent) = try site(kind, noise(50_000)) { connection in
                let subscription = SignalSubscription()
                connection.received.subscribe(
                    in: subscription,
                    onValue: { bytes in
                        received.append(bytes)
                        switch way {
                        case 0: results.append(connection.send("more").log())
                        case 1: results.append(connection.send(from: Signal<Bytes, Never>(just: "more")).log())
                        case 2: connection.finishSending()
                        case 3: connection.close()
                        default: subscription.dispose()
                        }
                    },
                    onTermination: { _ in ends.increment() }
                )
            }
            let ended = connection.ended.log()
            try server.loop.turns { ended.hasEnded }
            try server.loop.turns(3)
            #expect(ended.code == .reset && sent.code == .reset && received.count > 0)
            #expect(results.values.allSatisfy { $0.code == .reset || $0.code == .closed })
            #expect(ends.value == (way == 4 ? 0 : 1))
            try server.expectNothingLeft()
        }

        @Test("A pause ends it, because the reader perhaps waits for the send", arguments: LoopKind.all)
        func paused(_ kind: LoopKind) throws {
            let received = Recorder<Bytes>()
            let subscription = SignalSubscription()
            let ends = Recorder<Termination<SocketError>>()
            let (server, connection, sent) = try site(kind, noise(50_000)) { connection in
                connection.received.subscribe(
                    in: subscription,
                    onValue: { bytes in
                        received.append(bytes)
                        _ = subscription.pause()
                    },
                    onTermination: { ends.append($0) }
                )
            }
            try server.loop.turns { sent.hasEnded }
            #expect(sent.code == .reset && received.count == 1 && ends.count == 1)
            let ended = connection.ended.log()
            try server.loop.turns { ended.hasEnded }
            #expect(ended.code == .reset)
            try server.expectNothingLeft()
        }

        @Test("Without a reader the send fails at once", arguments: LoopKind.all)
        func unread(_ kind: LoopKind) throws {
            let (server, connection, sent) = try site(kind, noise(100)) { _ in }
            try server.loop.turns { sent.hasEnded }
            let received = connection.received.log()
            try server.loop.turns { received.hasEnded }
            #expect(sent.code == .reset && received.code == .reset)
            try server.expectNothingLeft()
        }

        @Test("A peer that only refuses bytes ends the connection", arguments: LoopKind.all)
        func oneWay(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (near, far) = Descriptor.sockets()
            let connection = try Connection(adopting: near, loop: loop)
            let received = connection.received.log()
            Descriptor.put("last", to: far)
            shutdown(far, Int32(SHUT_RD))
            loop.execute { connection.send("x") }
            try loop.turns { received.hasEnded }
            #expect(received.bytes == Array("last".utf8) && received.code == .reset)
            close(far)
            loop.dispose()
        }

        @Test("A peer that refuses bytes and sends without end does not keep the connection", arguments: LoopKind.all)
        func endless(_ kind: LoopKind) throws {
            let loop = try kind.make()
            let (near, far) = Descriptor.sockets()
            let connection = try Connection(adopting: near, loop: loop)
            let (received, ended) = (Box(0), Box<SocketError.Code?>(nil))
            let chunk = noise(4096)
            // The peer is always faster than the reader.
            let fill: @Sendable () -> Int = {
                var count = 0
                while case let sent = Glibc.send(far, chunk, chunk.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)),
                    sent > 0
                {
                    count += sent
                }
                return count
            }
            connection.received.subscribe(
                onValue: { bytes in
                    received.update { $0 += bytes.count }
                    _ = fill()
                },
                onTermination: { termination in
                    if case .failed(let error) = termination { ended.value = error.code }
                }
            )
            let arrived = fill()
            shutdown(far, Int32(SHUT_RD))
            loop.execute { connection.send("x") }
            try loop.turns { ended.value != nil }
            // The watch has perhaps received a chunk before the send failed.
            #expect(ended.value == .reset && received.value >= arrived && received.value < arrived * 4)
            close(far)
            loop.dispose()
        }

        @Test("Disposing the loop ends it without a notification", arguments: LoopKind.all)
        func disposed(_ kind: LoopKind) throws {
            let received = Box<Log<Bytes, SocketError>?>(nil)
            let (server, connection, _) = try site(kind, noise(50_000)) { received.value = $0.received.log() }
            let log = try #require(received.value)
            try server.loop.turns { connection.core.value.sending.isRefused || log.hasEnded }
            server.loop.dispose()
            #expect(!log.hasEnded)
        }
    }
}
