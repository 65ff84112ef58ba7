// SPDX-License-Identifier: MIT
#if HTTP && TLS
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import ReactiveTLS
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveHTTP

    /// A client over TLS, on each loop.
    @Suite struct ClientSecureTests {
        private func serve(_ loop: any LoopScheduler) throws -> HTTPServer {
            try SecureTests.serve(loop) { request in
                request.head.method == .post ? .ok(request.body) : .ok("\(request.head.scheme ?? "none")")
            }
        }

        @Test("Requests over TLS share a connection", arguments: LoopKind.all)
        func secure(_ kind: LoopKind) async throws {
            let loop = try kind.make(thread: .owned)
            defer { loop.dispose() }
            let server = try serve(loop)
            var configuration = HTTPClientConfiguration(security: try TLSContext(SecureTests.clientSettings).client)
            // Tasks may be delayed for minutes while other tests run.
            configuration.timeouts.head = .seconds(900)
            configuration.timeouts.idle = .seconds(900)
            configuration.timeouts.pooled = .seconds(900)
            let client = HTTPClient(loops: LoopGroup(loop), configuration: configuration)
            let url = "https://localhost:\(server.localAddress.port)/"
            for _ in 0..<20 {
                let response = try #require(try await client.send(.get(url)).first())
                let body = try await response.body.bytes().first()
                #expect(body == "https")
            }
            let payload = Bytes(SplitMix64.bytes(2_000_000))
            let echo = try #require(try await client.send(.post(url, body: HTTPBody(payload))).first())
            let body = try await echo.body.bytes(limit: 3_000_000).first()
            let isSame = body == payload
            #expect(isSame && server.totals.accepted == 1)
        }

        @Test("Bytes before a request close the connection over TLS too", arguments: LoopKind.all)
        func unsolicited(_ kind: LoopKind) async throws {
            let serving = try kind.make(thread: .owned)
            defer { serving.dispose() }
            let accepted = Recorder<Connection>()
            let server = try Server(
                on: .loopback(port: 0),
                loops: LoopGroup(serving),
                transformer: try TLSContext(SecureTests.serverSettings).server
            ) { connection in
                accepted.append(connection)
                return connection.send(
                    from: connection.received.map { _ in Bytes("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello") }
                )
            }
            let loop = try kind.make()
            defer { loop.dispose() }
            let client = HTTPClient(
                loops: LoopGroup(loop),
                configuration: HTTPClientConfiguration(security: try TLSContext(SecureTests.clientSettings).client)
            )
            let url = "https://localhost:\(server.localAddress.port)/"
            for count in 1...2 {
                let bodies = client.send(.get(url)).flatMap { $0.body.bytes() }.log()
                try loop.turns { bodies.hasEnded }
                #expect(bodies.values == ["hello"] && accepted.count == count)
                let evil = Bytes("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
                let connection = try #require(accepted.values.last)
                // The client's loop does not run, so it has not read these bytes when it sends the next request.
                _ = try await connection.send(evil).first()
            }
        }

        @Test("A certificate that is not trusted is a typed error", arguments: LoopKind.all)
        func untrusted(_ kind: LoopKind) async throws {
            let loop = try kind.make(thread: .owned)
            defer { loop.dispose() }
            let server = try serve(loop)
            let configuration = HTTPClientConfiguration(security: try TLSContext().client)
            let client = HTTPClient(loops: LoopGroup(loop), configuration: configuration)
            do {
                _ = try await client.send(.get("https://localhost:\(server.localAddress.port)/")).first()
                Issue.record("the certificate is accepted")
            } catch {
                #expect(error.code == .connection && (error.cause as? SocketError)?.code == .tls)
            }
        }
    }
#endif
