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
        enum Treatment: Sendable, Equatable {
            /// Answers pings.
            case plain
            /// Answers pings, the first one with `PONG` and many pings of its own.
            case pinging
            /// Sends this in place of its first line.
            case greeting(String)
            /// Answers one ping, and then reads nothing.
            case deaf
            /// Sends its first line, and then nothing.
            case mute
            /// Answers pings, but sends its first line only after `greet()`.
            case late
            /// Answers pings, and the first one with an error of this text.
            case refusing(String)
            /// Requires TLS, and never answers the client's handshake.
            case silentTLS
            /// Requires TLS, and closes the connection when the client begins its handshake.
            case brokenTLS
            /// Requires TLS, and answers the client's handshake with bytes that are no TLS.
            case falseTLS

            /// The fields of the first line.
            fileprivate var fields: String {
                switch self {
                case .deaf: #","headers":true"#
                case .plain, .pinging, .greeting, .mute, .late, .refusing: ""
                case .silentTLS, .brokenTLS, .falseTLS: #","tls_required":true"#
                }
            }
        }

        /// The number of connections so far. One with TLS counts once the client has begun its handshake.
        let begun = Box(0)
        /// The number of connections that have ended.
        let ended = Box(0)
        /// The number of answers to its own pings.
        let pongs = Box(0)
        private let connections = Recorder<UnsafeTransfer<Connection>>()
        private let mayGreet = Property(false)
        private let server: Server

        init(on loop: any LoopScheduler, _ script: [Treatment]) throws {
            let (begun, ended, pongs, connections, mayGreet) = (begun, ended, pongs, connections, mayGreet)
            server = try Server(on: .loopback(port: 0), loops: LoopGroup(loop)) { connection in
                let treatment = script[min(connections.count, script.count - 1)]
                connections.append(UnsafeTransfer(connection))
                connection.ended.subscribe(onTermination: { _ in ended.increment() })
                var info = #"INFO {"server_id":"S","version":"2.9.10","max_payload":1000\#(treatment.fields)}"#
                if case .greeting(let line) = treatment { info = line }
                let answers = Self.answers(to: connection, treatment, pongs) { begun.increment() }
                let greeting = treatment == .late ? mayGreet.signal.filter { $0 }.take(1) : .empty
                return connection.send(from: greeting.then(answers.prefix(value: Bytes("\(info)\r\n"))))
            }
        }

        private static func answers(
            to connection: Connection,
            _ treatment: Treatment,
            _ pongs: Box<Int>,
            _ hasBegun: @escaping @Sendable () -> Void
        ) -> Signal<Bytes, SocketError> {
            if [.silentTLS, .brokenTLS, .falseTLS, .mute].contains(treatment) {
                return connection.received.compactMap { _ -> Bytes? in
                    hasBegun()
                    if treatment == .brokenTLS { connection.close() }
                    return treatment == .falseTLS ? "no record" : nil
                }
            }
            hasBegun()
            let isFirst = Box(true)
            let lines = connection.received.framed(by: .newline, limit: 4096)
            if treatment == .deaf {
                return lines.filter { $0.hasPrefix("PING") }.take(1).map { _ in "PONG\r\n" }.concat(.never)
            }
            return lines.compactMap { line -> Bytes? in
                let text = String(decoding: line, as: UTF8.self)
                if text.hasPrefix("PONG") { pongs.increment() }
                if text.hasPrefix("PING") {
                    defer { isFirst.value = false }
                    if case .refusing(let text) = treatment, isFirst.value { return Bytes("-ERR '\(text)'\r\n") }
                    let pings =
                        treatment == .pinging && isFirst.value ? String(repeating: "PING\r\n", count: 10_000) : ""
                    return Bytes("PONG\r\n\(pings)")
                }
                return nil
            }
        }

        var url: String { "nats://127.0.0.1:\(server.localAddress.port)" }

        /// Lets each late connection begin.
        func greet() { mayGreet.value = true }

        /// Sends a line, if any, on each connection, and closes the connections.
        func closeConnections(saying line: String? = nil) {
            for connection in connections.values {
                if let line { connection.value.send(Bytes(line)) }
                connection.value.close()
            }
        }

        /// Sends a line on the last connection.
        func say(_ line: Bytes) { connections.values.last?.value.send(line) }

        func stop() { server.stop() }
    }
#endif
