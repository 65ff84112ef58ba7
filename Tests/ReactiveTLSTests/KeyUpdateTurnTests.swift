// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import Glibc
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveTLS

    /// A flood of KeyUpdates, each of which costs several derivations of keys. The test runs the loop turn by turn.
    @Suite struct KeyUpdateTurnTests {
        private let certificates = Certificates.shared

        @Test("A turn processes a bounded number of key updates, and everything arrives", arguments: LoopKind.all)
        func bounded(kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let (near, far) = Descriptor.sockets()
            defer { Descriptor.close(far) }
            let context = try TLSContext(certificates.server())
            let server = try Connection(adopting: near, loop: loop, transformer: context.server())
            let (received, hasInfo) = (Box(""), Box(true))
            server.received.subscribe(
                onValue: { bytes in
                    received.update { $0 += "\(bytes)" }
                    if server.tlsInfo == nil { hasInfo.value = false }
                },
                onTermination: { _ in }
            )
            var client = Wire.End(transformer: try certificates.client(.tls13).client(host: "localhost")())
            client.begin()
            func exchange() -> Int {
                let bytes = client.takeOutgoing()
                #expect(bytes.withUnsafeBytes { write(far, $0.baseAddress, $0.count) } == bytes.count)
                var memory = [UInt8](repeating: 0, count: 65_536)
                let count = max(0, recv(far, &memory, memory.count, Int32(MSG_DONTWAIT)))
                client.receive(Bytes(memory.prefix(count)))
                return count
            }
            try loop.turns {
                _ = exchange()
                return !client.transformer.needsInput
            }
            try loop.turns(5)
            _ = exchange()
            let total = 1_000
            for _ in 0..<total {
                client.callOpenSSL { session in
                    #expect(SSL_key_update(session, SSL_KEY_UPDATE_REQUESTED) == 1 && SSL_do_handshake(session) == 1)
                }
            }
            client.call { transformer, out throws(SocketError) in try transformer.send("end", &out) }
            var (turns, replies) = (0, 0)
            while received.value != "end", turns < 2_000 {
                let count = exchange()
                #expect(count <= (HandshakeQueue.stepsPerTurn + 1) * TLSSession.messagesPerCall * 27 + 100)
                replies += count
                if turns == 5 {
                    server.send("early")
                    loop.execute { if server.tlsInfo == nil { hasInfo.value = false } }
                }
                try loop.turns(1)
                turns += 1
            }
            for _ in 0..<5 {
                replies += exchange()
                try loop.turns(1)
            }
            #expect(received.value == "end" && client.received == Array("early".utf8) && client.failure == nil)
            #expect(replies >= total * 27 && hasInfo.value)
            #expect(turns >= total / TLSSession.messagesPerCall / (HandshakeQueue.stepsPerTurn + 1))
        }
    }
#endif
