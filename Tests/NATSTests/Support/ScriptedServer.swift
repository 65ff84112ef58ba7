// SPDX-License-Identifier: MIT
#if NATS
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance

    /// A server that treats its first connections as a script says, and the others like the last one of the script.
    final class ScriptedServer: Sendable {
        enum Treatment: Sendable {
            /// Answers pings.
            case plain
            /// Requires TLS, and never answers the client's handshake.
            case silentTLS
            /// Requires TLS, and closes the connection when the client begins its handshake.
            case brokenTLS
        }

        /// The connections so far. For TLS they count once the client has begun its handshake.
        let begun = Box(0)
        private let connections = Recorder<UnsafeTransfer<Connection>>()
        private let server: Server

        init(on loop: any LoopScheduler, _ script: [Treatment]) throws {
            let (begun, connections) = (begun, connections)
            server = try Server(on: .loopback(port: 0), loops: LoopGroup(loop)) { connection in
                let treatment = script[min(connections.count, script.count - 1)]
                connections.append(UnsafeTransfer(connection))
                let isPlain = treatment == .plain
                let settings = #""server_id":"S","version":"2.9.10","max_payload":1000,"tls_required":\#(!isPlain)"#
                if isPlain { begun.increment() }
                let answers = connection.received.compactMap { bytes -> Bytes? in
                    if isPlain { return String(decoding: bytes, as: UTF8.self).contains("PING") ? "PONG\r\n" : nil }
                    begun.increment()
                    if treatment == .brokenTLS { connection.close() }
                    return nil
                }
                return connection.send(from: answers.prefix(value: Bytes("INFO {\(settings)}\r\n")))
            }
        }

        var url: String { "nats://127.0.0.1:\(server.localAddress.port)" }

        /// Sends a line to the client of the last connection, if any, and closes all connections.
        func closeConnections(saying line: String? = nil) {
            for connection in connections.values {
                if let line { connection.value.send(Bytes(line)) }
                connection.value.close()
            }
        }

        func stop() { server.stop() }
    }
#endif
