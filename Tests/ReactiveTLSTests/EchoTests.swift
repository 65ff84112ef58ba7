// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTLS
    import SchedulerDispatch
    import Synchronization
    import Testing

    @Suite struct EchoTests {
        private let certificates = Certificates.shared

        @Test("An echo of 4 MB over TLS", arguments: [TLSVersion.tls12, .tls13])
        func echo(version: TLSVersion) async throws {
            let loop = try DispatchLoop(name: "tls")
            defer { loop.dispose() }
            var settings = certificates.server()
            settings.maximumVersion = version
            let server = try Server(on: .loopback(port: 0), loops: LoopGroup(loop), transformer: TLSContext(settings).server) {
                connection in connection.send(from: connection.received)
            }
            let tls = try TLSContext(certificates.client())
            let port = Int(server.localAddress.port)
            let payload = Bytes((0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let connection = try #require(
                try await Connection.connect(toHost: "localhost", port: port, tls: tls, loop: loop).first()
            )
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
    }
#endif
