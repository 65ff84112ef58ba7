// SPDX-License-Identifier: MIT
#if Logging
    import InMemoryLogging
    import Logging
    import LoopTestSupport
    import ReactiveCore
    import ReactiveLogging
    import ReactiveSignals
    import ReactiveSockets
    import Testing

    @Suite struct LoggingTests {
        @Test("Opened and closed connections are logged with the peer, the bytes and the time", arguments: LoopKind.all)
        func ends(_ loop: LoopKind) async throws {
            let site = try Site(loop)
            let handler = InMemoryLogHandler()
            site.server.log(to: Logger(label: "test") { _ in handler })
            #expect(try await site.exchange("hello") == "hello")
            try await site.stop()
            let entries = handler.entries
            #expect(entries.map(\.message) == ["connection opened", "connection closed"])
            #expect(entries.map(\.level) == [.info, .info])
            #expect(entries.first?.metadata["peer"] == entries.last?.metadata["peer"])
            let peer = String(describing: entries[0].metadata["peer", default: ""])
            #expect(peer.hasPrefix("127.0.0.1:"))
            #expect(entries.last?.metadata["received"] == "5" && entries.last?.metadata["sent"] == "5")
            #expect(entries.last?.metadata["seconds"] != nil)
        }

        @Test("A refused connection is a notice, and a failed one has its error as metadata", arguments: LoopKind.all)
        func refusals(_ loop: LoopKind) async throws {
            let site = try Site(loop, limits: ServerLimits(maxConnectionsPerAddress: 1)) { connection in
                connection.send(from: connection.received.framed(by: .newline, limit: 3))
            }
            let handler = InMemoryLogHandler()
            var logger = Logger(label: "test") { _ in handler }
            logger.logLevel = .debug
            site.server.log(to: logger, at: .debug)
            let first = try await site.connect()
            first.send("ab\n")
            var lines = first.received.values(limit: 1).makeAsyncIterator()
            #expect(try await lines.next() == "ab")
            // The reset may arrive before the client has noticed that it is connected.
            await #expect(throws: SocketError.self) {
                for try await _ in try await site.connect().received.values(limit: 1) {}
            }
            first.send("abcdef\n")
            await #expect(throws: SocketError.self) { while try await lines.next() != nil {} }
            try await site.stop()
            let entries = handler.entries
            #expect(entries.map(\.level) == [.debug, .notice, .debug])
            #expect(entries[1].message == "connection refused: too many from its address")
            #expect(entries[2].message == "connection failed" && entries[2].metadata["error"] != nil)
        }
    }
#endif
