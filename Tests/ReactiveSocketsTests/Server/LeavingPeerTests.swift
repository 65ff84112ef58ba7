// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

@testable import ReactiveSockets

extension Sockets {
    /// The services of Docs/Services.md that notice a peer that leaves, and one that waits for a peer that has not left.
    @Suite struct LeavingPeerTests {
        /// A server whose connections have small buffers, so that peers that read slowly pause it.
        private func server(
            _ kind: LoopKind,
            _ service: @escaping @Sendable (Connection) -> Signal<Never, SocketError>
        ) throws -> Server {
            try Server(
                on: ownLoopback(),
                loops: ServerFixture.group(kind, 1),
                options: [SocketOption.sendBufferSize(4096)],
                watermarks: Watermarks(high: 4096, low: 1024),
                service: service
            )
        }

        @Test(
            "A service that only sends ends with its peer's stream, even behind bytes that it does not need",
            arguments: LoopKind.all,
            ["", "x", "GET / HTTP/1.1\r\n\r\n"]
        )
        func sending(_ kind: LoopKind, _ last: String) throws {
            let news = Subject<Bytes, SocketError>()
            let server = try server(kind) { connection in
                let left = connection.received.filter { _ in false }
                let goodbye = Signal<Bytes, SocketError>(just: "bye")
                return connection.send(
                    from: news.signal.take(until: connection.draining).concat(goodbye).take(until: left)
                )
            }
            let client = try RawPeer(to: server.localAddress)
            client.send(Array(last.utf8))
            client.finish()
            #expect(client.receiveAll() == ([], .end))
            client.close()
            let closed = try RawPeer(to: server.localAddress)
            closed.send(Array(last.utf8))
            closed.close()
            let reading = try RawPeer(to: server.localAddress)
            try waitUntil("the end of two connections") { server.totals.accepted == 3 && server.totals.ended == 2 }
            server.drain(within: .seconds(1000))
            #expect(reading.receiveAll() == (Array("bye".utf8), .end))
            reading.close()
            try waitUntil("the end of the third") { server.totals.ended == 3 }
            #expect(server.totals.failed == 0)
            try stop(server)
        }

        @Test(
            "Subscriptions that peers request end with their streams, after every answer",
            arguments: LoopKind.all,
            [1, 20_000]
        )
        func subscribing(_ kind: LoopKind, _ count: Int) throws {
            let news = Subject<Bytes, Never>(whilePaused: .dropOldest(16))
            let server = try server(kind) { connection in
                let topics = connection.received.framed(by: .newline, limit: 1024)
                let replies = topics.scanMap(into: 0) { number, topic -> Signal<Bytes, SocketError> in
                    number += 1
                    let answer = Bytes("\(String(topic)) \(number)\n")
                    // The connection of a peer with many topics pauses at its watermarks.
                    guard number <= 3 else { return .just(answer) }
                    return news.signal.take(until: connection.endOfStream).prefix(value: answer)
                        .setFailureType(to: SocketError.self)
                }
                return connection.send(from: replies.flatten())
            }
            let client = try RawPeer(to: server.localAddress, receiveBuffer: 4096)
            client.setBlocking(true)
            let sending = TestThread {
                client.sendAll(Array(String(repeating: "topic\n", count: count).utf8))
                client.finish()
            }
            let (bytes, end) = client.receiveAll()
            #expect(end == .end)
            let isComplete = String(decoding: bytes, as: UTF8.self) == (1...count).map { "topic \($0)\n" }.joined()
            #expect(isComplete)
            try sending.join()
            client.close()
            try waitUntil("the end of the connection") { server.totals.ended == 1 }
            #expect(server.totals.failed == 0)
            try stop(server)
        }

        @Test(
            "A peer that ends its stream before a proxy has connected receives the target's answer",
            arguments: LoopKind.all,
            ["", "question"]
        )
        func connecting(_ kind: LoopKind, _ question: String) throws {
            let loop = try kind.make()
            let target = RawSocket.listener()
            let listener = try Listener(on: ownLoopback(), loop: loop)
            listener.connections.subscribe(
                onValue: { peer in
                    Connection.connect(to: target.address, loop: loop)
                        .flatMap { Connection.pipe(peer, $0) }
                        .subscribe(onTermination: { _ in })
                },
                onTermination: noFailure()
            )
            // The loop does not run yet, so the proxy finds the connection, the bytes and the end of the stream together.
            let client = try RawPeer(to: listener.localAddress)
            client.send(Array(question.utf8))
            client.finish()
            Descriptor.setBlocking(target.descriptor, false)
            var accepted: RawPeer?
            try loop.turns {
                accepted = RawPeer.waiting(at: target.descriptor)
                return accepted != nil
            }
            let server = try #require(accepted)
            let asked = try server.receiveToEnd { isDone in try loop.turns(until: isDone) }
            #expect(asked == (Array(question.utf8), .end))
            server.send(Array("answer".utf8))
            server.finish()
            let answer = try client.receiveToEnd { isDone in try loop.turns(until: isDone) }
            #expect(answer == (Array("answer".utf8), .end))
            client.close()
            server.close()
            listener.close()
            Descriptor.close(target.descriptor)
            try loop.expectNothingLeft()
            loop.dispose()
        }
    }
}
