// SPDX-License-Identifier: MIT
#if NATS
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveNATS

    extension NATSTests {
        /// Servers that fail while a client connects.
        @Suite struct HandshakeTests {
            /// Runs `body` with a client of a server with this script, and a clock for the client. If the first connection is
            /// plain, the client is connected.
            private func withScript(
                _ kind: LoopKind,
                _ script: [ScriptedServer.Treatment],
                _ body: (ScriptedServer, NATSClient, ManualClock, any LoopScheduler) async throws -> Void
            ) async throws {
                let serverLoop = try kind.make(name: "nats-script", thread: .owned)
                defer { serverLoop.dispose() }
                let server = try ScriptedServer(on: serverLoop, script)
                let clock = ManualClock()
                let loop = try kind.make(name: "nats-steps", clock: clock)
                defer { loop.dispose() }
                let client = NATSClient(to: [server.url], on: loop, options: .quick)
                if script[0] == .plain { try await onThread { try loop.turns { client.isConnected } } }
                try await body(server, client, clock, loop)
                server.stop()
                server.closeConnections()
                client.close()
                try await onThread { try loop.turns { client.state.value.isClosed && !client.core.value.isConnecting } }
            }

            @Test("An attempt without an answer to its TLS handshake is interrupted", arguments: LoopKind.all)
            func silence(kind: LoopKind) async throws {
                try await withScript(kind, [.plain, .silentTLS]) { server, client, clock, loop in
                    server.closeConnections()
                    try await onThread { try loop.turns { client.state.value == .reconnecting } }
                    for attempt in 1...4 {
                        try await onThread { try loop.turns { client.core.value.nextAttempt != nil } }
                        clock.advance(by: .milliseconds(25))
                        try await onThread { try loop.turns { server.begun.value == attempt + 1 } }
                        // Twelve steps of a minute, and half a minute.
                        clock.advance(by: .seconds(749))
                        try await onThread { try loop.turns(10) }
                        #expect(server.ended.value == attempt)
                        clock.advance(by: .seconds(1))
                        try await onThread { try loop.turns { server.ended.value == attempt + 1 } }
                    }
                    #expect(client.state.value == .reconnecting)
                }
            }

            @Test("A server that does not answer the first TLS handshake fails the client", arguments: LoopKind.all)
            func firstSilence(kind: LoopKind) async throws {
                try await withScript(kind, [.silentTLS]) { server, client, clock, loop in
                    try await onThread { try loop.turns { server.begun.value == 1 } }
                    clock.advance(by: .seconds(750))
                    try await onThread { try loop.turns { client.state.value.isClosed } }
                    guard case .closed(let error) = client.state.value else { return }
                    #expect(error?.code == .timedOut)
                    try await onThread { try loop.turns { server.ended.value == 1 } }
                    try await onThread { try loop.expectNothingLeft() }
                }
            }

            @Test("A TLS handshake that breaks during a reconnect is repeated", arguments: LoopKind.all)
            func broken(kind: LoopKind) async throws {
                try await withScript(kind, [.plain, .brokenTLS, .plain]) { server, client, clock, loop in
                    server.closeConnections()
                    try await onThread { try loop.turns { client.state.value == .reconnecting } }
                    try await onThread {
                        try loop.turns {
                            clock.advance(by: .milliseconds(1))
                            return client.state.value != .reconnecting
                        }
                    }
                    #expect(client.isConnected && server.begun.value == 3)
                }
            }

            /// A duplicate of the socket would keep the connection open.
            @Test("A failed handshake closes its connection, also if another server follows", arguments: LoopKind.all)
            func failed(kind: LoopKind) async throws {
                let loop = try kind.make(name: "nats-script", thread: .owned)
                defer { loop.dispose() }
                let servers = try [ScriptedServer(on: loop, [.falseTLS]), ScriptedServer(on: loop, [.falseTLS])]
                let client = NATSClient(to: servers.map(\.url), on: loop, options: .quick)
                try await eventually("the end of both") { servers.allSatisfy { $0.ended.value == 1 } }
                try await eventually("the end") { client.state.value.isClosed }
                for server in servers { server.stop() }
            }

            @Test("A client that closes during a handshake interrupts it", arguments: LoopKind.all)
            func closed(kind: LoopKind) async throws {
                try await withScript(kind, [.silentTLS]) { server, client, _, loop in
                    try await onThread { try loop.turns { server.begun.value == 1 } }
                    client.close()
                    try await onThread {
                        try loop.turns { server.ended.value == 1 && !client.core.value.isConnecting }
                    }
                    try await onThread { try loop.expectNothingLeft() }
                }
            }

            @Test("The error that a server states before it closes the connection is reported", arguments: LoopKind.all)
            func lastWords(kind: LoopKind) async throws {
                try await withScript(kind, [.plain]) { server, client, _, loop in
                    let reports = Recorder<String>()
                    client.events.subscribe(
                        onValue: { if case .reported(let error) = $0 { reports.append(error.message) } },
                        onTermination: { _ in }
                    )
                    server.closeConnections(saying: "-ERR 'Maximum Connections Exceeded'\r\n")
                    try await onThread { try loop.turns { client.core.value.nextAttempt != nil } }
                    #expect(reports.values.contains { $0.contains("Maximum Connections Exceeded") })
                    #expect(reports.count == 1)
                }
            }
        }
    }
#endif
