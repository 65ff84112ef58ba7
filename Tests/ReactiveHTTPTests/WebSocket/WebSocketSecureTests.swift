// SPDX-License-Identifier: MIT
#if HTTP && TLS
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSupport
    import ReactiveTLS
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveHTTP
    @testable import ReactiveSockets

    /// WebSockets over TLS, server and client, on each loop.
    @Suite struct WebSocketSecureTests {
        /// A server with TLS, and clients on the same loop, which the test runs turn by turn.
        private final class Site {
            let loop: any LoopScheduler
            let server: HTTPServer
            private let tls: TLSContext

            init<Value, Failure: Error>(
                _ kind: LoopKind,
                _ configuration: WebSocketConfiguration = WebSocketConfiguration(),
                service: @escaping @Sendable (WebSocket) -> Signal<Value, Failure>
            ) throws {
                loop = try kind.make()
                server = try SecureTests.serve(loop) { .webSocket($0, configuration, service: service) }
                tls = try TLSContext(SecureTests.clientSettings)
            }

            /// Stops the server, checks that the connections have left nothing on the loop, and disposes the loop.
            deinit {
                server.stop()
                loop.expectNothingLeftAndDispose { Issue.record($0) }
            }

            func connect(_ configuration: WebSocketConfiguration = WebSocketConfiguration()) throws -> WebSocket {
                let sockets = Recorder<WebSocket>()
                let connecting = ConnectSettings(transformer: tls.client(host: "localhost"))
                WebSocket.connect(
                    to: server.localAddress,
                    "/chat",
                    loop: loop,
                    configuration: configuration,
                    settings: connecting
                )
                .subscribe(
                    onValue: { sockets.append($0) },
                    onTermination: { if case .failed(let error) = $0 { Issue.record(error) } }
                )
                try loop.turns { sockets.count == 1 }
                return sockets.values[0]
            }

            /// A TLS connection that has performed the handshake of a WebSocket by hand.
            func connectRaw() throws -> (connection: Connection, frames: Recorder<Bytes>) {
                let connections = Recorder<Connection>()
                Connection.connect(
                    to: server.localAddress,
                    loop: loop,
                    settings: ConnectSettings(transformer: tls.client(host: "localhost"))
                )
                .subscribe(onValue: { connections.append($0) }, onTermination: { _ in })
                try loop.turns { connections.count == 1 }
                let (connection, chunks) = (connections.values[0], Recorder<Bytes>())
                connection.received.subscribe(onValue: { chunks.append($0) }, onTermination: { _ in })
                connection.send(Bytes(WebSocketPeer.request))
                try loop.turns { chunks.values.contains { $0.hasSuffix("\r\n\r\n") } }
                chunks.clear()
                return (connection, chunks)
            }
        }

        @Test("Messages of all sizes come back, with and without compression", arguments: LoopKind.all, [true, false])
        func echo(_ kind: LoopKind, _ compresses: Bool) throws {
            var configuration = WebSocketConfiguration { $0.messageBytes = 4 << 20 }
            if compresses { configuration.compression = WebSocketCompression() }
            let site = try Site(kind, configuration) { $0.send(from: $0.messages) }
            let socket = try site.connect(configuration)
            let version = Recorder<TLSVersion?>()
            site.loop.execute { version.append(socket.connection.tlsInfo?.version) }
            try site.loop.turns { version.count == 1 }
            #expect(version.values[0] == .tls13)
            let messages: [WebSocketMessage] = [
                "", "hello", .text(String(repeating: "abc ", count: 100_000)),
                .binary(Bytes(SplitMix64.bytes(3_000_000))), .binary(Bytes()),
            ]
            let received = Recorder<WebSocketMessage>()
            socket.messages.subscribe(onValue: { received.append($0) }, onTermination: { _ in })
            for message in messages { socket.send(message) }
            try site.loop.turns { received.count == messages.count }
            let areSame = received.values == messages
            #expect(areSame)
        }

        @Test("A message that the client does not read pauses the source of the server", arguments: LoopKind.all)
        func pause(_ kind: LoopKind) throws {
            let sent = Box(0)
            let message = WebSocketMessage.binary(Bytes(repeatElement(7, count: 50_000)))
            let site = try Site(kind) { socket in
                socket.send(
                    from: Signal<Int, Never>(values: 0..<2000).map { _ in
                        sent.increment()
                        return message
                    }
                )
            }
            let socket = try site.connect()
            let (received, subscription) = (Box(0), SignalSubscription())
            let pause = subscription.pause()
            socket.messages.subscribe(in: subscription, onValue: { _ in received.increment() }, onTermination: { _ in })
            try site.loop.turns(500)
            // The kernel's buffers hold some megabytes.
            #expect(sent.value < 1000 && received.value == 0)
            pause.dispose()
            try site.loop.turns { received.value == 2000 }
        }

        @Test("Both sides receive the Close frame, and TLS ends in order", arguments: LoopKind.all, [true, false])
        func close(_ kind: LoopKind, _ byClient: Bool) throws {
            let (closes, ends) = (Recorder<WebSocketClose>(), Recorder<Termination<SocketError>>())
            let served = Recorder<WebSocket>()
            let site = try Site(kind) { socket in
                served.append(socket)
                socket.ended.subscribe(onValue: { closes.append($0) }, onTermination: { _ in })
                socket.connection.ended.subscribe(onTermination: { ends.append($0) })
                return socket.messages
            }
            let socket = try site.connect()
            socket.ended.subscribe(onValue: { closes.append($0) }, onTermination: { _ in })
            socket.connection.ended.subscribe(onTermination: { ends.append($0) })
            try site.loop.turns { served.count == 1 }
            let last = byClient ? socket : served.values[0]
            let other = byClient ? served.values[0] : socket
            let received = Recorder<WebSocketMessage>()
            other.messages.subscribe(onValue: { received.append($0) }, onTermination: { _ in })
            last.send("last")
            last.close(.goingAway, reason: "done")
            try site.loop.turns { closes.count == 2 && ends.count == 2 }
            #expect(closes.values.map(\.code) == [.goingAway, .goingAway])
            // A truncated TLS stream would be a failure.
            #expect(ends.values.allSatisfy { if case .completed = $0 { true } else { false } })
            #expect(byClient || received.values == ["last"])
        }

        @Test("A half-closed TLS stream without a Close frame is an incomplete WebSocket", arguments: LoopKind.all)
        func halfClose(_ kind: LoopKind) throws {
            let errors = Recorder<WebSocketError>()
            let received = Recorder<WebSocketMessage>()
            let site = try Site(kind) { socket in
                socket.messages.handleEvents(
                    onValue: { received.append($0) },
                    onTermination: { if case .failed(let error) = $0 { errors.append(error) } }
                )
            }
            let (connection, frames) = try site.connectRaw()
            let ended = connection.ended.log()
            connection.send(Bytes(WebSocketPeer.frame(.text, "a")))
            // close_notify, and the end of the TCP stream. The server may still send.
            connection.finishSending()
            try site.loop.turns { errors.count == 1 && ended.hasEnded }
            #expect(received.values == ["a"] && errors.values[0].code == .incomplete)
            // The server answers with close_notify of its own, and not with a reset.
            #expect(ended.isCompleted && frames.values.isEmpty)
        }

        @Test("A Close frame before the half-close is answered", arguments: LoopKind.all)
        func closeFrame(_ kind: LoopKind) throws {
            let closes = Recorder<WebSocketClose>()
            let site = try Site(kind) { socket in
                socket.ended.subscribe(onValue: { closes.append($0) }, onTermination: { _ in })
                return socket.messages
            }
            let (connection, frames) = try site.connectRaw()
            let ended = connection.ended.log()
            connection.send(Bytes(WebSocketPeer.frame(.close, [0x03, 0xE8])))
            connection.finishSending()
            try site.loop.turns { closes.count == 1 && ended.hasEnded }
            #expect(Bytes(joining: frames.values) == [0x88, 0x02, 0x03, 0xE8] && ended.isCompleted)
        }

        @Test(
            "A stream without close_notify fails, whatever it has sent before",
            arguments: LoopKind.all,
            [true, false]
        )
        func truncation(_ kind: LoopKind, _ isReset: Bool) throws {
            let errors = Recorder<WebSocketError>()
            let site = try Site(kind) { socket in
                socket.messages.handleEvents(
                    onTermination: { if case .failed(let error) = $0 { errors.append(error) } }
                )
            }
            let (connection, _) = try site.connectRaw()
            connection.send(Bytes(WebSocketPeer.frame(.text, "a")))
            try site.loop.turns(5)
            if isReset { connection.abort() } else { Descriptor.endSending(connection.core.value.socket.descriptor) }
            try site.loop.turns { errors.count == 1 }
            #expect(errors.values[0].code == .connection)
            connection.abort()
        }
    }
#endif
