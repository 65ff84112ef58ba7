// SPDX-License-Identifier: MIT
#if HTTP && TLS
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTLS
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveHTTP

    /// The application protocols that servers and clients of HTTP choose (ALPN, RFC 7301), on each loop.
    @Suite struct SecureProtocolTests {
        private static func server(_ protocols: [String]) -> TLSConfiguration {
            var settings = SecureTests.serverSettings
            settings.applicationProtocols = protocols
            return settings
        }

        private static func client(_ protocols: [String]) -> TLSConfiguration {
            var settings = SecureTests.clientSettings
            settings.applicationProtocols = protocols
            return settings
        }

        /// Serves with a context. Returns what a client that offers `offered` has agreed on, and the status of a response.
        private func exchange(
            _ kind: LoopKind,
            with context: TLSContext,
            offering offered: [String],
            afterwards change: () throws -> Void = {}
        ) async throws -> (protocol: String?, status: Int?) {
            let loop = try kind.make(thread: .owned)
            defer { loop.dispose() }
            let server = try SecureTests.serve(loop, with: context) { _ in .ok("hello\n") }
            try change()
            let (port, tls) = (Int(server.localAddress.port), try TLSContext(Self.client(offered)))
            let connecting = Connection.connect(toHost: "localhost", port: port, tls: tls, loop: loop)
            let connection = try #require(try await connecting.first())
            connection.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            var reader = RawResponses()
            for try await chunk in connection.received.values {
                reader.feed(Array(chunk))
                if !reader.complete.isEmpty { break }
            }
            let chosen = await withCheckedContinuation { continuation in
                loop.execute { continuation.resume(returning: connection.tlsInfo?.applicationProtocol) }
            }
            return (chosen, reader.complete.first?.status)
        }

        @Test(
            "A server chooses HTTP/1.1, whatever protocols its configuration names",
            arguments: LoopKind.all,
            [["h2"], ["h2", "http/1.1"], ["http/1.1", "h2"], ["h3", "h2c", "imap"], ["acme-tls/1"]]
        )
        func server(_ kind: LoopKind, _ configured: [String]) async throws {
            let context = try TLSContext(Self.server(configured))
            let result = try await exchange(kind, with: context, offering: ["h3", "h2", "http/1.1"])
            #expect(result == ("http/1.1", 200))
        }

        @Test("A server whose configuration names no protocol chooses none", arguments: LoopKind.all)
        func unconfigured(_ kind: LoopKind) async throws {
            let context = try TLSContext(Self.server([]))
            #expect(try await exchange(kind, with: context, offering: ["h2"]) == (nil, 200))
        }

        @Test("A client that offers no protocol is served", arguments: LoopKind.all)
        func unoffered(_ kind: LoopKind) async throws {
            let context = try TLSContext(Self.server(["h2"]))
            #expect(try await exchange(kind, with: context, offering: []) == (nil, 200))
        }

        @Test(
            "The protocols of a reloaded configuration, and of a context for a host name, are restricted too",
            arguments: LoopKind.all
        )
        func laterContexts(_ kind: LoopKind) async throws {
            let offered = ["h2", "http/1.1"]
            let reloaded = try TLSContext(Self.server([]))
            let result = try await exchange(kind, with: reloaded, offering: offered) {
                try reloaded.reload(Self.server(offered))
            }
            #expect(result == ("http/1.1", 200))
            let named = try TLSContext(Self.server(offered))
            var settings = Self.server([])
            settings.contextForServerName = { _ in .just(named) }
            #expect(try await exchange(kind, with: TLSContext(settings), offering: offered) == ("http/1.1", 200))
        }

        @Test("A client that offers only HTTP/2 is refused with the reason", arguments: LoopKind.all)
        func refused(_ kind: LoopKind) async throws {
            let context = try TLSContext(Self.server(["h2", "http/1.1"]))
            do {
                _ = try await exchange(kind, with: context, offering: ["h2"])
                Issue.record("the client is served")
            } catch let error as SocketError {
                #expect((error.cause as? TLSError)?.code == .noCommonProtocol)
            }
        }

        @Test("A challenge of a certificate authority is answered", arguments: LoopKind.all)
        func challenge(_ kind: LoopKind) async throws {
            let context = try TLSContext(Self.server(["h2", "acme-tls/1"]))
            #expect(try await exchange(kind, with: context, offering: ["acme-tls/1"]).protocol == "acme-tls/1")
        }

        @Test(
            "A client of HTTP does not offer HTTP/2, whatever protocols its configuration names",
            arguments: LoopKind.all,
            [["h2"], ["h2", "http/1.1"], ["http/1.0", "h2"], []]
        )
        func client(_ kind: LoopKind, _ configured: [String]) async throws {
            let loop = try kind.make(thread: .owned)
            defer { loop.dispose() }
            let chosen = Recorder<String>()
            let server = try Self.serve(loop, recording: chosen)
            var configuration = HTTPClientConfiguration(security: try TLSContext(Self.client(configured)).client)
            configuration.timeouts.head = .seconds(900)
            configuration.timeouts.idle = .seconds(900)
            let client = HTTPClient(loops: LoopGroup(loop), configuration: configuration)
            _ = try await client.send(.get("https://localhost:\(server.localAddress.port)/")).first()
            #expect(chosen.values.first == Self.expected(configured))
        }

        @Test(
            "A WebSocket does not offer HTTP/2, whatever protocols its configuration names",
            arguments: LoopKind.all,
            [["h2"], ["h2", "http/1.1"], ["http/1.0", "h2"], []]
        )
        func webSocket(_ kind: LoopKind, _ configured: [String]) async throws {
            let loop = try kind.make(thread: .owned)
            defer { loop.dispose() }
            let chosen = Recorder<String>()
            let server = try Self.serve(loop, recording: chosen)
            let (address, tls) = (server.localAddress, try TLSContext(Self.client(configured)))
            let settings = ConnectSettings(timeout: .seconds(900), transformer: tls.client(host: "localhost"))
            let attempts = [
                WebSocket.connect(to: address, loop: loop, settings: settings),
                WebSocket.connect(toHost: "localhost", port: Int(address.port), loop: loop, settings: settings),
            ]
            for attempt in attempts {
                chosen.clear()
                // The server does not accept the handshake.
                await #expect(throws: WebSocketError.self) { _ = try await attempt.first() }
                #expect(chosen.values.first == Self.expected(configured))
            }
        }

        /// Serves a program that knows HTTP/2 too. Before each response it records the protocol of the connection.
        private static func serve(_ loop: any LoopScheduler, recording chosen: Recorder<String>) throws -> Server {
            let context = try TLSContext(server(["h2", "http/1.1", "http/1.0"]))
            return try Server(
                on: .loopback(port: 0),
                loops: LoopGroup(loop),
                transformer: context.server
            ) { connection in
                let responses = connection.received.map { _ in
                    chosen.append(connection.tlsInfo?.applicationProtocol ?? "none")
                    return Bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                }
                return connection.send(from: responses)
            }
        }

        /// The protocol that a client with this configuration agrees on with the server of ``serve(_:recording:)``.
        private static func expected(_ configured: [String]) -> String {
            configured.isEmpty ? "none" : configured.first { $0.hasPrefix("http/") } ?? "http/1.1"
        }
    }
#endif
