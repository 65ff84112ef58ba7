// SPDX-License-Identifier: MIT
#if NATS
    import Foundation
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
                _ options: NATSOptions = .quick,
                others: [String] = [],
                _ body: (ScriptedServer, NATSClient, ManualClock, any LoopScheduler) async throws -> Void
            ) async throws {
                let serverLoop = try kind.make(name: "nats-script", thread: .owned)
                defer { serverLoop.dispose() }
                let server = try ScriptedServer(on: serverLoop, script)
                let clock = ManualClock()
                let loop = try kind.make(name: "nats-steps", clock: clock)
                defer { loop.dispose() }
                let client = NATSClient(to: [server.url] + others, on: loop, options: options)
                if script[0] == .plain { try await onThread { try loop.turns { client.isConnected } } }
                try await body(server, client, clock, loop)
                server.stop()
                server.closeConnections()
                client.close()
                try await onThread { try loop.turns { client.state.value.isClosed } }
            }

            /// Advances the clock by a millisecond in each turn, until `isDone` returns true.
            private func advance(
                _ clock: ManualClock,
                in loop: any LoopScheduler,
                file: StaticString = #fileID,
                line: UInt = #line,
                until isDone: @escaping @Sendable () -> Bool
            ) async throws {
                try await onThread {
                    try loop.turns(file: file, line: line) {
                        clock.advance(by: .milliseconds(1))
                        return isDone()
                    }
                }
            }

            @Test(
                "An attempt whose server stops answering is interrupted",
                arguments: LoopKind.all,
                [ScriptedServer.Treatment.silentTLS, .mute]
            )
            func silence(kind: LoopKind, treatment: ScriptedServer.Treatment) async throws {
                try await withScript(kind, [.plain, treatment]) { server, client, clock, loop in
                    server.closeConnections()
                    try await onThread { try loop.turns { client.state.value == .reconnecting } }
                    for attempt in 1...4 {
                        try await onThread { try loop.turns { client.core.value.nextAttempt != nil } }
                        clock.advance(by: .milliseconds(25))
                        try await onThread { try loop.turns { server.begun.value == attempt + 1 } }
                        // A minute for the server's answer, and half a minute for the handshake of TLS.
                        clock.advance(by: .seconds(treatment == .mute ? 59 : 89))
                        try await onThread { try loop.turns(10) }
                        // A client without settings for TLS first connects without it.
                        let earlier = treatment == .mute ? attempt : attempt * 2
                        #expect(server.ended.value == earlier)
                        clock.advance(by: .seconds(1))
                        try await onThread { try loop.turns { server.ended.value == earlier + 1 } }
                    }
                    #expect(client.state.value == .reconnecting)
                }
            }

            @Test("A server that does not answer the first TLS handshake fails the client", arguments: LoopKind.all)
            func firstSilence(kind: LoopKind) async throws {
                try await withScript(kind, [.silentTLS]) { server, client, clock, loop in
                    try await onThread { try loop.turns { server.begun.value == 1 } }
                    clock.advance(by: .seconds(90))
                    try await onThread { try loop.turns { client.state.value.isClosed } }
                    guard case .closed(let error) = client.state.value else { return }
                    #expect(error?.code == .timedOut)
                    try await onThread { try loop.turns { server.ended.value == 2 } }
                    try await onThread { try loop.expectNothingLeft() }
                }
            }

            @Test(
                "A handshake that breaks during a reconnect is repeated",
                arguments: LoopKind.all,
                // A client without settings for TLS first connects without it.
                [
                    [ScriptedServer.Treatment.brokenTLS, .brokenTLS], [.refusing("Authentication Timeout")],
                    // Before TLS, anybody can send such a line.
                    [.greeting("-ERR 'Authorization Violation'")],
                ]
            )
            func broken(kind: LoopKind, treatments: [ScriptedServer.Treatment]) async throws {
                try await withScript(kind, [.plain] + treatments + [.plain]) { server, client, clock, loop in
                    server.closeConnections()
                    try await onThread { try loop.turns { client.state.value == .reconnecting } }
                    try await advance(clock, in: loop) { client.state.value != .reconnecting }
                    #expect(client.isConnected && server.begun.value == 3)
                }
            }

            @Test("A client reconnects if one server rejects it, and the other is down", arguments: LoopKind.all)
            func rejection(kind: LoopKind) async throws {
                let script = [ScriptedServer.Treatment.plain, .refusing("Authorization Violation"), .plain]
                try await withScript(kind, script, others: ["nats://127.0.0.1:1"]) { server, client, clock, loop in
                    server.closeConnections()
                    try await advance(clock, in: loop) { server.begun.value == 3 && client.isConnected }
                }
            }

            @Test("A missing file of credentials does not close a client that reconnects", arguments: LoopKind.all)
            func missingFile(kind: LoopKind) async throws {
                let folder = try TestFolder()
                defer { folder.remove() }
                let path = try folder.file("seed", SecurityTests.seed)
                var options = NATSOptions.quick
                options.credentials = .nkey(SecurityTests.nkey, seedFile: path)
                try await withScript(kind, [.plain], options) { server, client, clock, loop in
                    try FileManager.default.removeItem(atPath: path)
                    server.closeConnections()
                    try await advance(clock, in: loop) { client.core.value.attempts == 3 }
                    #expect(client.state.value == .reconnecting)
                    _ = try folder.file("seed", SecurityTests.seed)
                    try await advance(clock, in: loop) { client.isConnected }
                }
            }

            @Test("A failed handshake closes its connection, also if another server follows", arguments: LoopKind.all)
            func failed(kind: LoopKind) async throws {
                let loop = try kind.make(name: "nats-script", thread: .owned)
                defer { loop.dispose() }
                let servers = try [ScriptedServer(on: loop, [.falseTLS]), ScriptedServer(on: loop, [.falseTLS])]
                let client = NATSClient(to: servers.map(\.url), on: loop, options: .quick)
                try await eventually("the end of both") { servers.allSatisfy { $0.ended.value == 2 } }
                try await eventually("the end") { client.state.value.isClosed }
                for server in servers { server.stop() }
            }

            @Test("A client that closes during a handshake interrupts it", arguments: LoopKind.all)
            func closed(kind: LoopKind) async throws {
                try await withScript(kind, [.silentTLS]) { server, client, _, loop in
                    try await onThread { try loop.turns { server.begun.value == 1 } }
                    client.close()
                    try await onThread { try loop.turns { server.ended.value == 2 } }
                    try await onThread { try loop.expectNothingLeft() }
                }
            }

            @Test("A source that begins before the connection loses no message", arguments: LoopKind.all)
            func earlySource(kind: LoopKind) async throws {
                var options = NATSOptions.quick
                options.reconnectBuffer = 1 << 19
                try await withScript(kind, [.late], options) { server, client, _, loop in
                    let message = NATSMessage(.letters(900), to: "x")
                    let source = Signal<NATSMessage, NATSError>(values: repeatElement(message, count: 2_000))
                    client.publish(from: source).subscribe(onTermination: { _ in })
                    try await onThread { try loop.turns(10) }
                    server.greet()
                    try await onThread { try loop.turns { client.statistics.published == 2_000 } }
                    #expect(client.statistics.refused == 0)
                }
            }

            @Test("A client does not collect answers for a server that sends many pings", arguments: LoopKind.all)
            func pings(kind: LoopKind) async throws {
                try await withScript(kind, [.pinging]) { server, client, _, loop in
                    try await onThread { try loop.turns { client.isConnected } }
                    let hasFlushed = Box(false)
                    client.flush().subscribe(onTermination: { _ in hasFlushed.value = true })
                    try await onThread { try loop.turns { hasFlushed.value } }
                    #expect((1...1_000).contains(server.pongs.value))
                }
            }

            @Test("A server that sends messages, but takes nothing, is left", arguments: LoopKind.all)
            func deaf(kind: LoopKind) async throws {
                try await withScript(kind, [.deaf, .plain]) { server, client, clock, loop in
                    client.subscribe("y").subscribe(onValue: { _ in }, onTermination: { _ in })
                    try await onThread { try loop.turns { client.isConnected } }
                    // More than the system buffers.
                    for _ in 0..<20_000 { client.publish(NATSMessage(.letters(900), to: "x")) }
                    // It is not sent again while the connection has not carried it.
                    client.jetStream.publish("1", to: "x").subscribe(onValue: { _ in }, onTermination: { _ in })
                    let sent = Box(0)
                    try await onThread {
                        try loop.turns {
                            if client.statistics.received == sent.value {
                                sent.increment()
                                server.say("MSG y 1 0\r\n\r\n")
                                clock.advance(by: .seconds(10))
                            }
                            return client.state.value == .reconnecting
                        }
                    }
                    #expect(client.statistics.published == 20_001)
                }
            }

            @Test("A server without headers gets none", arguments: LoopKind.all)
            func withoutHeaders(kind: LoopKind) async throws {
                try await withScript(kind, [.plain]) { _, client, _, loop in
                    let codes = Recorder<NATSError.Code>()
                    let message = NATSMessage("1", to: "x", headers: ["A": "b"])
                    client.publish(message).subscribe(onTermination: { termination in
                        if case .failed(let error) = termination { codes.append(error.code) }
                    })
                    try await onThread { try loop.turns { codes.count == 1 } }
                    #expect(codes.values == [.invalidArgument])
                }
            }

            @Test(
                "The reason for the end of a connection is reported once",
                arguments: LoopKind.all,
                ["-ERR 'Maximum Connections Exceeded'\r\n", "HELLO\r\n"]
            )
            func lastWords(kind: LoopKind, line: String) async throws {
                try await withScript(kind, [.plain]) { server, client, _, loop in
                    let reports = Recorder<String>()
                    client.events.subscribe(
                        onValue: { if case .reported(let error) = $0 { reports.append(error.message) } },
                        onTermination: { _ in }
                    )
                    server.closeConnections(saying: line)
                    try await onThread { try loop.turns { client.core.value.nextAttempt != nil } }
                    let text = line.split { !$0.isLetter && $0 != " " }.last ?? ""
                    #expect(reports.count == 1 && reports.values[0].contains(text), "\(reports.values)")
                }
            }
        }
    }
#endif
