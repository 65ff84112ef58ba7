// SPDX-License-Identifier: MIT
#if TLS
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTLS
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    /// TLS over sockets, on each loop.
    @Suite struct TLSConnections {
        private let certificates = Certificates.shared

        private func serve(
            _ loop: any LoopScheduler,
            _ settings: TLSConfiguration? = nil,
            service: @escaping @Sendable (Connection) -> Signal<Never, SocketError> = { connection in
                connection.send(from: connection.received)
            }
        ) throws -> Server {
            let tls = try TLSContext(settings ?? certificates.server())
            return try Server(on: .loopback(port: 0), loops: LoopGroup(loop), transformer: tls.server, service: service)
        }

        private func connect(to server: Server, on loop: any LoopScheduler) async throws -> Connection {
            let tls = try TLSContext(certificates.client())
            let port = Int(server.localAddress.port)
            return try #require(
                try await Connection.connect(toHost: "localhost", port: port, tls: tls, loop: loop).first()
            )
        }

        @Test("An echo of 2 MB", arguments: LoopKind.all, [TLSVersion.tls12, .tls13])
        func echo(kind: LoopKind, version: TLSVersion) async throws {
            let loop = try kind.make(thread: .owned)
            defer { loop.dispose() }
            var settings = certificates.server()
            settings.maximumVersion = version
            let server = try serve(loop, settings)
            let connection = try await connect(to: server, on: loop)
            let payload = Bytes((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            connection.send(payload)
            // In TLS 1.2, an end of sending would end both directions.
            if version == .tls13 { connection.finishSending() }
            var received: [UInt8] = []
            for try await chunk in connection.received.values {
                received.append(contentsOf: chunk)
                if version == .tls12, received.count == payload.count { break }
            }
            let isSame = received == Array(payload)
            #expect(isSame)
        }

        @Test("A line that is sent and followed by a close arrives, although nobody receives", arguments: LoopKind.all)
        func closing(kind: LoopKind) async throws {
            let loop = try kind.make(thread: .owned)
            defer { loop.dispose() }
            let lines = Box<[String]>([])
            let server = try serve(loop) { connection in
                connection.lines.handleEvents(onValue: { line in lines.update { $0.append(line) } }).ignoreValues()
            }
            let connection = try await connect(to: server, on: loop)
            connection.send(line: "the last line")
            connection.close()
            try await eventually("the line") { lines.value == ["the last line"] }
        }

        @Test("The result of a send completes after the handshake", arguments: LoopKind.all)
        func result(kind: LoopKind) async throws {
            let loop = try kind.make(thread: .owned)
            defer { loop.dispose() }
            let server = try serve(loop)
            let connection = try await connect(to: server, on: loop)
            _ = try await connection.send("x").last()
            let info = Box<TLSInfo?>(nil)
            loop.execute { info.value = connection.tlsInfo }
            try await eventually("the handshake") { info.value != nil }
            let agreed = try #require(info.value)
            #expect(agreed.version == .tls13 && agreed.peerCertificate != nil && !agreed.isResumed)
        }

        @Test("A peer that never says hello fails the connection with timedOut", arguments: LoopKind.all)
        func stalled(kind: LoopKind) async throws {
            let loop = try kind.make(thread: .owned)
            defer { loop.dispose() }
            var settings = certificates.server()
            settings.handshakeTimeout = .milliseconds(50)
            let end = Box<SocketError?>(nil)
            // A pair of sockets, because a foreign process may connect to any port.
            let (near, far) = Descriptor.sockets()
            defer { Descriptor.close(far) }
            let tls = try TLSContext(settings)
            let served = try Connection(adopting: near, loop: loop, transformer: tls.server())
            served.ended.subscribe(onTermination: { termination in
                if case .failed(let error) = termination { end.value = error }
            })
            try await eventually("the end") { end.value != nil }
            #expect(end.value?.code == .timedOut, "\(String(describing: end.value))")
        }

        @Test("A certificate of another issuer fails both sides", arguments: LoopKind.all)
        func unknownIssuer(kind: LoopKind) async throws {
            let loop = try kind.make(thread: .owned)
            defer { loop.dispose() }
            let server = try serve(loop, certificates.server("self"))
            let connection = try await connect(to: server, on: loop)
            do {
                for try await _ in connection.received.values {}
                Issue.record("the connection completed")
            } catch {
                #expect(error.code == .tls && (error.cause as? TLSError)?.code == .unknownIssuer)
            }
        }
    }
#endif
