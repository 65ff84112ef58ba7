// SPDX-License-Identifier: MIT
#if HTTP && TLS
    import Glibc
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSupport
    import ReactiveTLS
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveHTTP
    @testable import ReactiveSockets

    /// HTTP over TLS, on each loop.
    @Suite struct SecureTests {
        /// A certificate for localhost, which the openssl command creates in a temporary folder.
        static let files: (certificate: PEM, key: PEM) = {
            guard let folder = try? TestFolder().path else { preconditionFailure("no temporary folder") }
            let status = system(
                "cd \(folder) && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem "
                    + "-out chain.pem -subj /CN=localhost -addext subjectAltName=DNS:localhost -days 2 >log 2>&1"
            )
            precondition(status == 0, "openssl failed")
            return (.file("\(folder)/chain.pem"), .file("\(folder)/key.pem"))
        }()

        /// The settings of a server. Tests that block threads of tasks may delay a handshake for minutes.
        static var serverSettings: TLSConfiguration {
            var settings = TLSConfiguration.server(certificateChain: files.certificate, privateKey: files.key)
            settings.handshakeTimeout = .seconds(900)
            return settings
        }

        /// The settings of a client that trusts the server of ``serverSettings``.
        static var clientSettings: TLSConfiguration {
            var settings = TLSConfiguration()
            settings.trustRoots = files.certificate
            settings.handshakeTimeout = .seconds(900)
            return settings
        }

        /// A server with TLS. Its limits bear clients that are delayed for minutes by tests that block threads of tasks.
        static func serve(
            _ loop: any LoopScheduler,
            with context: TLSContext? = nil,
            _ respond: @escaping @Sendable (HTTPRequestMessage) -> HTTPResponseMessage
        ) throws -> HTTPServer {
            var limits = HTTPLimits()
            limits.idleTime = .seconds(3600)
            let context = try context ?? TLSContext(serverSettings)
            return try HTTPServer(
                on: .loopback(port: 0),
                loops: LoopGroup(loop),
                limits: limits,
                transformer: context.server,
                respond: respond
            )
        }

        /// A client of a new server, on a new loop.
        private func connect(_ kind: LoopKind, files: StaticFiles? = nil) async throws -> Connection {
            let loop = try kind.make(thread: .owned)
            let server = try Self.serve(loop) { request in
                if let files { return files.respond(to: request) }
                return request.head.path == "/echo" ? .ok(request.body) : .ok("\(request.head.scheme ?? "none")\n")
            }
            let (port, tls) = (Int(server.localAddress.port), try TLSContext(Self.clientSettings))
            return try #require(
                try await Connection.connect(toHost: "localhost", port: port, tls: tls, loop: loop).first()
            )
        }

        /// Receives until this number of responses is complete, or the stream ends.
        private func responses(_ count: Int, on connection: Connection) async throws -> [RawResponse] {
            var reader = RawResponses()
            for try await chunk in connection.received.values {
                reader.feed(Array(chunk))
                if reader.complete.count >= count { break }
            }
            return reader.complete
        }

        @Test("Pipelined requests of the scheme https", arguments: LoopKind.all)
        func pipelined(_ kind: LoopKind) async throws {
            let connection = try await connect(kind)
            defer { connection.loop.dispose() }
            connection.send(Bytes(String(repeating: ExchangeTests.get, count: 1000)))
            let responses = try await responses(1000, on: connection)
            #expect(responses.count == 1000 && responses.allSatisfy { $0.text == "https\n" })
        }

        @Test(
            "A client that ends its TLS stream before the response disposes the service, and fails without close_notify",
            arguments: LoopKind.all,
            [true, false]
        )
        func leaving(_ kind: LoopKind, _ isAnnounced: Bool) throws {
            let (begun, isDisposed) = (Box(false), Box(false))
            let fixture = try HTTPFixture(
                kind,
                on: .loopback(port: 0),
                transformer: try TLSContext(Self.serverSettings).server,
                service: .signal { _ in
                    Signal<HTTPResponseMessage, Never> { _, subscription in
                        begun.value = true
                        subscription.onDispose { isDisposed.value = true }
                    }
                }
            )
            let port = Int(fixture.server.localAddress.port)
            let connected = Connection.connect(
                toHost: "localhost",
                port: port,
                tls: try TLSContext(Self.clientSettings),
                loop: fixture.loop
            ).log()
            try fixture.loop.turns { connected.hasEnded }
            let connection = try #require(connected.values.first)
            connection.send(Bytes(ExchangeTests.get))
            try fixture.loop.turns { begun.value }
            #expect(!isDisposed.value)
            if isAnnounced {
                connection.finishSending()
            } else {
                Descriptor.endSending(connection.core.value.socket.descriptor)
            }
            try fixture.loop.turns { isDisposed.value && fixture.server.totals.ended == 1 }
            #expect(fixture.server.totals.failed == (isAnnounced ? 0 : 1))
            connection.abort()
        }

        @Test("An echo of 2 MB, and an error that arrives before the close", arguments: LoopKind.all)
        func echo(_ kind: LoopKind) async throws {
            let connection = try await connect(kind)
            defer { connection.loop.dispose() }
            let payload = SplitMix64.bytes(2_000_000)
            connection.send(Bytes("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(payload.count)\r\n\r\n"))
            connection.send(Bytes(payload))
            let echoes = try await responses(1, on: connection)
            let isSame = echoes.first?.body == payload
            #expect(isSame)
            connection.send("GET / HTTP/1.1\r\nbroken\r\n\r\n")
            let errors = try await responses(1, on: connection)
            #expect(errors.first?.status == 400)
        }

        @Test("A file of 5 MiB, ranges of it, and one that becomes shorter", arguments: LoopKind.all)
        func files(_ kind: LoopKind) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let bytes = SplitMix64.bytes(5 * 1024 * 1024)
            try folder.file("root/a", bytes)
            let connection = try await connect(kind, files: try StaticFiles(at: folder.root))
            defer { connection.loop.dispose() }
            for (fields, expected) in [
                ("", bytes), ("Range: bytes=70000-3000000\r\n", Array(bytes[70000...3_000_000])),
            ] {
                connection.send(Bytes("GET /a HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"))
                let responses = try await responses(1, on: connection)
                let isSame = responses.first?.body == expected
                #expect(isSame)
            }
            #expect(folder.openCount == 0)
            #expect(truncate("\(folder.root)/a", 200_000_000) == 0)
            connection.send(Bytes("GET /a HTTP/1.1\r\nHost: a\r\n\r\n"))
            var count = 0
            do {
                for try await chunk in connection.received.values {
                    // The client reads slowly, so the server has not read everything.
                    if count == 0 { #expect(truncate("\(folder.root)/a", 100) == 0) }
                    count += chunk.count
                }
                Issue.record("the stream has ended")
            } catch {
                #expect(error.code == .reset || error.code == .tls, "\(error)")
            }
            #expect(count < 200_000_000)
        }
    }
#endif
