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

        private func put(_ bytes: Bytes, to descriptor: Int32) {
            let flags = Int32(MSG_NOSIGNAL)
            #expect(bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) } == bytes.count)
        }

        private func requestKeyUpdate(of client: inout Wire.End) {
            client.callOpenSSL { session in
                #expect(SSL_key_update(session, SSL_KEY_UPDATE_REQUESTED) == 1 && SSL_do_handshake(session) == 1)
            }
        }

        /// Returns a connection of a server, and the socket of its client, which has said hello.
        private func greet(
            _ context: TLSContext,
            with hello: Bytes,
            on loop: any LoopScheduler
        ) throws -> (server: Connection, client: Int32) {
            let (near, far) = Descriptor.sockets()
            put(hello, to: far)
            return (try Connection(adopting: near, loop: loop, transformer: context.server()), far)
        }

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
            let tls = try certificates.client(.tls13)
            var client = Wire.End(transformer: tls.client(host: "localhost")())
            client.begin()
            func exchange() -> Int {
                put(client.takeOutgoing(), to: far)
                var memory = [UInt8](repeating: 0, count: 65_536)
                let count = max(0, recv(far, &memory, memory.count, Int32(MSG_DONTWAIT)))
                client.receive(Bytes(memory.prefix(count)))
                return count
            }
            while client.transformer.needsInput {
                _ = exchange()
                try loop.turns(1)
            }
            try loop.turns(5)
            _ = exchange()
            let total = 1_000
            for _ in 0..<total { requestKeyUpdate(of: &client) }
            client.call { transformer, out throws(SocketError) in try transformer.send("end", &out) }
            var (turns, replies) = (0, 0)
            var others: [(server: Connection, client: Int32)] = []
            defer { for other in others { Descriptor.close(other.client) } }
            while received.value != "end", client.failure == nil, turns < 2_000 {
                let count = exchange()
                #expect(count <= (HandshakeQueue.stepsPerTurn + 1) * TLSSession.messagesPerCall * 27 + 100)
                replies += count
                if turns == 5 {
                    // More handshakes than a turn has steps, so the flood waits behind them.
                    others = try (0..<20).map { _ in try greet(context, with: Wire.hello(of: tls), on: loop) }
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
