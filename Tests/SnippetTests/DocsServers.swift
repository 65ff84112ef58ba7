// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance
import SchedulerEngine
import Testing

// The snippets about the drain of a server, and about peers that leave.

@Suite struct DocsServers {
    /// Sends a line, ends the stream, and returns the reply.
    private func ask(_ address: SocketAddress, on loop: any LoopScheduler) async throws -> String {
        try await withConnection(to: address, loop: loop) { received, send in
            try await send("hello\n")
            send.finish()
            var all = ""
            for try await bytes in received { all += String(bytes) }
            return all
        }
    }

    /// Receives until the server ends its stream.
    private func read(from address: SocketAddress, on loop: any LoopScheduler) async throws -> String {
        try await withConnection(to: address, loop: loop) { received, _ in
            var all = ""
            for try await bytes in received { all += String(bytes) }
            return all
        }
    }

    @Test func scope() async throws {
        let loop = try EpollLoop(name: "scope")
        let loops = LoopGroup(loop)
        defer { loops.dispose() }
        func ask(_ address: SocketAddress) async throws -> String { try await self.ask(address, on: loop) }

        let reply = try await withServer(on: .loopback(port: 0), loops: loops, grace: .seconds(10)) { connection in
            connection.send(from: connection.received)
        } whileServing: { server in
            try await ask(server.localAddress)
        }

        #expect(reply == "hello\n")
    }

    @Test func goodbye() async throws {
        let loop = try EpollLoop(name: "news")
        let loops = LoopGroup(loop)
        defer { loops.dispose() }
        let feed = Subject<Bytes, SocketError>()
        @Sendable func serve(_ connection: Connection) -> Signal<Never, SocketError> {
            let news = feed.signal
            let goodbye = Signal<Bytes, SocketError>(just: "bye\n")
            let left = connection.received.filter { _ in false }
            return connection.send(from: news.take(until: connection.draining).concat(goodbye).take(until: left))
        }

        let reading = try await withServer(on: .loopback(port: 0), loops: loops, service: serve) { server in
            let address = server.localAddress
            // This peer ends its stream, so the service ends too.
            let missed = try await ask(address, on: loop)
            #expect(missed == "")
            for await count in server.connectionCount.signal.values(limit: 8) where count == 0 { break }
            let reading = Task { try await read(from: address, on: loop) }
            for await count in server.connectionCount.signal.values(limit: 8) where count == 1 { break }
            return reading
        }
        #expect(try await reading.value == "bye\n")
    }

    @Test func subscriptions() async throws {
        let loop = try EpollLoop(name: "topics")
        let loops = LoopGroup(loop)
        defer { loops.dispose() }
        let feed = Subject<Bytes, SocketError>()
        @Sendable func news(of topic: String) -> Signal<Bytes, SocketError> { feed.signal }
        @Sendable func serve(_ connection: Connection) -> Signal<Never, SocketError> {
            let replies = connection.lines.flatMap { topic in
                news(of: topic).take(until: connection.endOfStream).prefix(value: "OK\n")
            }
            return connection.send(from: replies)
        }

        let reply = try await withServer(on: .loopback(port: 0), loops: loops, service: serve) { server in
            try await ask(server.localAddress, on: loop)
        }
        #expect(reply == "OK\n")
    }
}
