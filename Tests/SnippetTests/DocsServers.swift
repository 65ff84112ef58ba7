// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance
import SchedulerEngine
import Testing

// The snippets about the drain of a server.

@Suite struct DocsServers {
    private func ask(_ address: SocketAddress, on loop: any LoopScheduler) async throws -> String {
        try await withConnection(to: address, loop: loop) { received, send in
            try await send("hello\n")
            send.finish()
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
            return connection.send(from: news.take(until: connection.draining).concat(goodbye))
        }

        let reading = try await withServer(on: .loopback(port: 0), loops: loops, service: serve) { server in
            let address = server.localAddress
            let reading = Task { try await ask(address, on: loop) }
            for await count in server.connectionCount.signal.values(limit: 8) where count == 1 { break }
            return reading
        }
        #expect(try await reading.value == "bye\n")
    }
}
