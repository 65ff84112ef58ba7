// SPDX-License-Identifier: MIT
#if TLS
    import Glibc
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveTLS

    /// Upgrades of plain connections (STARTTLS).
    @Suite struct StartTLSTests {
        private let certificates = Certificates.shared

        /// Two plain connections on one loop, and what each receives after its upgrade.
        private final class Bench: Sendable {
            let loop: any LoopScheduler
            let client: Connection
            let server: Connection
            let clientTLS: TLSContext
            let serverTLS: TLSContext
            let secureLines = Box<[String]>([])
            let failure = Box<SocketError?>(nil)

            init(_ kind: LoopKind, _ certificates: Certificates) throws {
                loop = try kind.make(thread: .owned)
                let (near, far) = Descriptor.sockets()
                server = try Connection(adopting: near, loop: loop)
                client = try Connection(adopting: far, loop: loop)
                clientTLS = try TLSContext(certificates.client())
                serverTLS = try TLSContext(certificates.server())
            }

            /// Closes both ends, checks that they have left nothing on the loop, and disposes the loop.
            func end() {
                client.abort()
                server.abort()
                loop.expectNothingLeftAndDispose { Issue.record($0) }
            }

            /// Records the lines of the secure stream, and the failure.
            func record(_ connection: Connection) {
                connection.lines.subscribe(
                    onValue: { [secureLines] line in secureLines.update { $0.append(line) } },
                    onTermination: { [failure] termination in
                        if case .failed(let error) = termination { failure.value = error }
                    }
                )
            }
        }

        @Test(
            "Both sides upgrade, and what was sent before stays plain",
            arguments: LoopKind.all,
            [TLSVersion.tls12, .tls13]
        )
        func upgrade(kind: LoopKind, version: TLSVersion) async throws {
            let bench = try Bench(kind, certificates)
            defer { bench.end() }
            var settings = certificates.server()
            settings.maximumVersion = version
            try bench.serverTLS.reload(settings)
            bench.client.send(line: "STARTTLS")
            #expect(try await bench.server.lines.first() == "STARTTLS")
            bench.server.send(line: "ready")
            bench.server.startTLS(bench.serverTLS, as: .server)
            bench.server.send(line: "secure greeting")
            bench.server.send(from: bench.server.received)
            #expect(try await bench.client.lines.first() == "ready")
            bench.client.startTLS(bench.clientTLS, as: .client(host: "localhost"))
            bench.record(bench.client)
            bench.client.send(line: "echo")
            try await eventually("the echo") { bench.secureLines.value == ["secure greeting", "echo"] }
            let info = Box<TLSInfo?>(nil)
            try bench.loop.sync { info.value = bench.server.tlsInfo }
            #expect(info.value?.version == version && info.value?.serverName == "localhost")
        }

        @Test("Plain bytes behind the command never arrive as secure ones", arguments: LoopKind.all)
        func injectedCommand(kind: LoopKind) async throws {
            let bench = try Bench(kind, certificates)
            defer { bench.end() }
            bench.client.send("STARTTLS\nEVIL\nEVI")
            #expect(try await bench.server.lines.first() == "STARTTLS")
            bench.server.send(line: "ready")
            bench.server.startTLS(bench.serverTLS, as: .server)
            bench.record(bench.server)
            #expect(try await bench.client.lines.first() == "ready")
            bench.client.startTLS(bench.clientTLS, as: .client(host: "localhost"))
            bench.client.send(line: "good")
            try await eventually("the line") { !bench.secureLines.value.isEmpty }
            #expect(bench.secureLines.value == ["good"])
        }

        @Test("Plain bytes after the upgrade fail the handshake", arguments: LoopKind.all, [false, true])
        func injectedLater(kind: LoopKind, isClient: Bool) async throws {
            let bench = try Bench(kind, certificates)
            defer { bench.end() }
            let (own, peer) = isClient ? (bench.client, bench.server) : (bench.server, bench.client)
            if isClient {
                own.startTLS(bench.clientTLS, as: .client(host: "localhost"))
            } else {
                own.startTLS(bench.serverTLS, as: .server)
            }
            bench.record(own)
            peer.send("EVIL COMMAND\r\nEVIL\r\n")
            try await eventually("the failure") { bench.failure.value != nil }
            #expect(bench.failure.value?.tls == .notTLS, "\(String(describing: bench.failure.value))")
            #expect(bench.secureLines.value.isEmpty)
        }

        @Test("Plain bytes that wait in the kernel are not secure ones", arguments: LoopKind.all)
        func injectedBefore(kind: LoopKind) async throws {
            let bench = try Bench(kind, certificates)
            defer { bench.end() }
            _ = try await bench.client.send("EVIL COMMAND\r\n").last()
            // An observer of the end peeks, and finds the bytes.
            bench.server.endOfStream.subscribe(onTermination: { _ in })
            for _ in 0..<5 { try bench.loop.sync() }
            bench.server.startTLS(bench.serverTLS, as: .server)
            bench.record(bench.server)
            try await eventually("the failure") { bench.failure.value != nil }
            #expect(bench.failure.value?.tls == .notTLS && bench.secureLines.value.isEmpty)
        }

        private enum Obstacle: CaseIterable {
            case subscriber, alreadySecure, sendingEnded, streamEnded
        }

        @Test("An upgrade that is not possible fails the connection", arguments: LoopKind.all, Obstacle.allCases)
        private func obstacle(kind: LoopKind, obstacle: Obstacle) async throws {
            let bench = try Bench(kind, certificates)
            defer { bench.end() }
            switch obstacle {
            case .subscriber: bench.server.received.subscribe(onValue: { _ in }, onTermination: { _ in })
            case .alreadySecure: bench.server.startTLS(bench.serverTLS, as: .server)
            case .sendingEnded: bench.server.finishSending()
            case .streamEnded:
                bench.client.finishSending()
                #expect(try await bench.server.received.first() == nil)
            }
            let failure = Box<SocketError?>(nil)
            bench.server.ended.subscribe(onTermination: { termination in
                if case .failed(let error) = termination { failure.value = error }
            })
            bench.server.startTLS(bench.serverTLS, as: .server)
            try await eventually("the failure") { failure.value != nil }
            #expect(failure.value?.code == .tls && failure.value?.tls == .cannotStart)
        }

        @Test("An upgrade inside of the delivery of the command is refused", arguments: LoopKind.all)
        func insideDelivery(kind: LoopKind) async throws {
            let bench = try Bench(kind, certificates)
            defer { bench.end() }
            let lines = Box<[String]>([])
            let failure = Box<SocketError?>(nil)
            bench.server.lines.subscribe(
                onValue: { line in
                    lines.update { $0.append(line) }
                    bench.server.startTLS(bench.serverTLS, as: .server)
                },
                onTermination: { termination in
                    if case .failed(let error) = termination { failure.value = error }
                }
            )
            bench.client.send("STARTTLS\n")
            try await eventually("the failure") { failure.value != nil }
            #expect(failure.value?.tls == .cannotStart && lines.value == ["STARTTLS"])
        }

        @Test("After a close or an abort an upgrade does nothing", arguments: LoopKind.all, [false, true])
        func closed(kind: LoopKind, aborts: Bool) async throws {
            let bench = try Bench(kind, certificates)
            defer { bench.end() }
            let end = Box<Termination<SocketError>?>(nil)
            bench.server.ended.subscribe(onTermination: { end.value = $0 })
            if aborts { bench.server.abort() } else { bench.server.close() }
            bench.server.startTLS(bench.serverTLS, as: .server)
            bench.client.close()
            try await eventually("the end") { end.value != nil }
            switch end.value {
            case .failed(let error): #expect(aborts && error.code == .closed)
            default: #expect(!aborts)
            }
        }

        @Test(
            "Bytes that were received with a header belong to the handshake",
            arguments: LoopKind.all,
            [1, 60, Int.max]
        )
        func unread(kind: LoopKind, count: Int) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let (near, far) = Descriptor.sockets()
            defer { close(far) }
            let tls = try TLSContext(certificates.server())
            let connection = try Connection(adopting: near, loop: loop)
            let sent = Bytes(joining: ["header\n", Wire.hello(of: try TLSContext(certificates.client()))])
            let first = sent[..<(sent.startIndex + min(sent.count, 7 + min(count, sent.count)))]
            _ = first.withUnsafeBytes { write(far, $0.baseAddress, $0.count) }
            let chunk = Box<Bytes?>(nil)
            let subscription = connection.received.subscribe(onValue: { chunk.value = $0 }, onTermination: { _ in })
            try loop.turns { chunk.value != nil }
            subscription.dispose()
            let received = try #require(chunk.value)
            connection.startTLS(tls, as: .server, unread: received[(received.startIndex + 7)...])
            let rest = sent[first.endIndex...]
            _ = rest.withUnsafeBytes { write(far, $0.baseAddress, $0.count) }
            var type: UInt8 = 0
            try loop.turns { recv(far, &type, 1, Int32(MSG_DONTWAIT)) == 1 }
            // A record of the handshake.
            #expect(type == 22)
        }

        @Test("Plain bytes that wait for a slow peer precede the handshake", arguments: LoopKind.all)
        func backlog(kind: LoopKind) async throws {
            let bench = try Bench(kind, certificates)
            defer { bench.end() }
            let count = 3_000_000
            bench.server.send(Bytes(repeatElement(97, count: count)))
            bench.server.startTLS(bench.serverTLS, as: .server)
            bench.server.send(line: "secure")
            var plain = 0
            for try await chunk in bench.client.received.values {
                plain += chunk.count
                if plain >= count { break }
            }
            #expect(plain == count)
            bench.client.startTLS(bench.clientTLS, as: .client(host: "localhost"))
            bench.record(bench.client)
            try await eventually("the line") { bench.secureLines.value == ["secure"] }
        }
    }
#endif
