// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP

    /// Clients, with this project's server or a raw one, on each loop.
    @Suite struct WebSocketClientTests {
        @Test("Messages come back, with and without compression", arguments: LoopKind.all, [true, false])
        func echo(_ kind: LoopKind, _ compresses: Bool) throws {
            var configuration = WebSocketConfiguration { $0.subprotocols = ["echo"] }
            if compresses { configuration.compression = WebSocketCompression() }
            let fixture = try HTTPFixture(webSocket: kind, configuration) { $0.send(from: $0.messages) }
            let received = Recorder<WebSocketMessage>()
            let closes = Recorder<WebSocketClose>()
            let sockets = Recorder<WebSocket>()
            let long = WebSocketMessage.text(String(repeating: "abc ", count: 100_000))
            WebSocket.connect(to: fixture.server.localAddress, "/x", loop: fixture.loop, configuration: configuration)
                .subscribe(
                    onValue: { socket in
                        sockets.append(socket)
                        socket.send("hello")
                        socket.send(long)
                        socket.messages.subscribe(onValue: { received.append($0) }, onTermination: { _ in })
                        socket.ended.subscribe(onValue: { closes.append($0) }, onTermination: { _ in })
                    },
                    onTermination: { if case .failed(let error) = $0 { Issue.record(error) } }
                )
            try fixture.loop.turns { received.count == 2 }
            #expect(received.values == ["hello", long])
            #expect(sockets.values[0].subprotocol == "echo")
            sockets.values[0].close(.goingAway, reason: "done")
            try fixture.loop.turns { closes.count == 1 }
            #expect(closes.values == [WebSocketClose(.goingAway)])
        }

        @Test("A loop that is disposed during the handshake releases the subscriber", arguments: LoopKind.all)
        func disposedLoop(_ kind: LoopKind) throws {
            let raw = RawServer()
            defer { raw.close() }
            let loop = try kind.make()
            var token: Recorder<Int>? = Recorder<Int>()
            weak let released = token
            let address = raw.address
            WebSocket.connect(to: address, loop: loop)
                .subscribe(onValue: { [token] _ in token?.append(1) }, onTermination: { _ in })
            token = nil
            var peer: RawPeer?
            try loop.turns {
                peer = peer ?? raw.accept()
                if case .bytes? = peer?.receive() { return true }
                return false
            }
            #expect(released != nil)
            loop.dispose()
            #expect(released == nil)
        }

        @Test("A send fails after the end, and its result can be observed later", arguments: LoopKind.all)
        func results(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(webSocket: kind) { $0.messages }
            let sockets = Recorder<WebSocket>()
            let ends = Recorder<Termination<WebSocketError>>()
            WebSocket.connect(to: fixture.server.localAddress, loop: fixture.loop)
                .subscribe(onValue: { sockets.append($0) }, onTermination: { _ in })
            try fixture.loop.turns { sockets.count == 1 }
            let socket = sockets.values[0]
            let result = socket.send("a")
            try fixture.loop.turns(2)
            result.subscribe(onTermination: { ends.append($0) })
            try fixture.loop.turns { ends.count == 1 }
            socket.close()
            socket.send("b").subscribe(onTermination: { ends.append($0) })
            try fixture.loop.turns { ends.count == 2 }
            guard case .completed = ends.values[0], case .failed(let error) = ends.values[1] else {
                Issue.record("\(ends.values)")
                return
            }
            #expect(error.code == .closed)
        }

        @Test(
            "A server that does not accept fails the handshake, after the connection has been closed",
            arguments: LoopKind.all,
            [
                ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "the status 404"),
                ("HTTP/1.1 101 Switching Protocols\r\n\r\n", "lacks Upgrade"),
                (
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
                    "does not match the key"
                ),
                ("nonsense\r\n\r\n", "malformed"), ("", "ended its stream"),
            ]
        )
        func refused(_ kind: LoopKind, _ answer: (text: String, reason: String)) throws {
            let server = try WebSocketRawServer(kind)
            let (errors, read) = (Recorder<WebSocketError>(), Box(RawPeer.Read.nothing))
            server.client.subscribe(
                onValue: { _ in Issue.record("a WebSocket") },
                onTermination: { [peer = server.peer] in
                    if case .failed(let error) = $0 { errors.append(error) }
                    read.value = peer.value?.receive() ?? .nothing
                }
            )
            try server.receiveRequest()
            try server.send(Array(answer.text.utf8))
            server.peer.value?.finish()
            try server.loop.turns { errors.count == 1 }
            let error = errors.values[0]
            #expect(error.code == .handshakeFailed && error.message.contains(answer.reason), "\(error)")
            #expect(read.value == .end)
        }

        @Test("A message that arrives with the answer follows the completion of the connect", arguments: LoopKind.all)
        func early(_ kind: LoopKind) throws {
            let server = try WebSocketRawServer(kind)
            let events = Recorder<String>()
            server.client.subscribe(
                onValue: { socket in
                    events.append("open")
                    socket.messages.subscribe(onValue: { _ in events.append("message") }, onTermination: { _ in })
                },
                onTermination: { _ in events.append("completed") }
            )
            try server.accept(then: [0x81, 0x01, 0x61])
            try server.loop.turns { events.count == 3 }
            #expect(events.values == ["open", "completed", "message"])
        }

        @Test("An invalid path never reaches the network", arguments: ["x", "/a b", "/a\r\nX: y", "/é"])
        func path(_ path: String) throws {
            let loop = try LoopKind.all[0].make()
            defer { loop.dispose() }
            let errors = Recorder<WebSocketError>()
            WebSocket.connect(to: .loopback(port: 1), WebSocketTarget(path), loop: loop).subscribe(
                onValue: { _ in },
                onTermination: { if case .failed(let error) = $0 { errors.append(error) } }
            )
            #expect(errors.values.map(\.code) == [.handshakeFailed])
        }
    }
#endif
