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

    /// WebSockets of a server, with raw clients, on each loop.
    @Suite struct WebSocketServerTests {
        private static let echo: @Sendable (WebSocket) -> Signal<Never, WebSocketError> = { socket in
            socket.send(from: socket.messages)
        }

        private static func close(_ code: UInt16, _ reason: String = "") -> Bytes {
            Bytes(joining: [Bytes(code), Bytes(reason)])
        }

        @Test("Messages come back, even those that arrived with the handshake", arguments: LoopKind.all)
        func echo(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(webSocket: kind, service: Self.echo)
            let peer = try WebSocketPeer(fixture, early: WebSocketPeer.frame(.text, "early"))
            try peer.expect(.text, "early")
            try peer.send(.text, "κόσμε")
            try peer.expect(.text, "κόσμε")
            try peer.send(.binary)
            try peer.expect(.binary, Bytes())
            let large = Bytes((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
            try peer.send(.binary, large)
            try peer.expect(.binary, large)
            try peer.send(.text, "in ", isFinal: false)
            try peer.send(.ping, "now")
            try peer.send(.continuation, "two")
            try peer.expect(.pong, "now")
            try peer.expect(.text, "in two")
            try peer.send(.close, Self.close(1000, "bye"))
            try peer.expect(.close, Self.close(1000))
            try peer.expectEnd()
        }

        @Test("A request that is no handshake receives a status", arguments: LoopKind.all)
        func refused(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(webSocket: kind, service: Self.echo)
            let client = try fixture.connect()
            let plain = try fixture.exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n", on: client)
            #expect(plain.status == 426 && plain.fields["upgrade"] == "websocket")
            let old = WebSocketPeer.request.replacing("Version: 13", with: "Version: 8")
            let response = try fixture.exchange(old, on: client)
            #expect(response.status == 426 && response.fields["sec-websocket-version"] == "13")
            let foreign = String(WebSocketPeer.request.dropLast(1)) + "Origin: http://evil.example\r\n\r\n"
            #expect(try fixture.exchange(foreign, on: client).status == 403)
        }

        @Test("Control frames are answered without a subscriber of the messages", arguments: LoopKind.all)
        func controlFrames(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(webSocket: kind) { _ in Signal<Never, Never>.never }
            let peer = try WebSocketPeer(fixture)
            try peer.send(.ping, "a")
            try peer.send(.pong, "unasked")
            try peer.send(.ping, "b")
            try peer.expect(.pong, "a")
            try peer.expect(.pong, "b")
            try peer.send(.close)
            try peer.expect(.close, Bytes())
            try peer.expectEnd()
        }

        @Test(
            "A violation ends the WebSocket with its close code",
            arguments: LoopKind.all,
            [
                ([0x81, 0x00], 1002, .protocolViolation),
                ([0x82, 0xFE, 0x04, 0x01, 0, 0, 0, 0, 1], 1009, .messageTooLarge),
                ([0x81, 0x81, 0, 0, 0, 0, 0xFF], 1007, .invalidText),
            ] as [([UInt8], UInt16, WebSocketError.Code)]
        )
        func violations(_ kind: LoopKind, _ violation: ([UInt8], UInt16, WebSocketError.Code)) throws {
            let errors = Recorder<WebSocketError>()
            let configuration = WebSocketConfiguration { $0.messageBytes = 1024 }
            let fixture = try HTTPFixture(webSocket: kind, configuration) { socket in
                socket.ended.subscribe(
                    onValue: { _ in },
                    onTermination: { if case .failed(let error) = $0 { errors.append(error) } }
                )
                return Self.echo(socket)
            }
            let peer = try WebSocketPeer(fixture)
            try fixture.send(violation.0, from: peer.raw)
            let frame = try peer.frames(1)[0]
            #expect(frame.opcode == .close && Bytes(frame.payload.prefix(2)) == Bytes(violation.1))
            try peer.expectEnd()
            #expect(errors.values.map(\.code) == [violation.2])
        }

        @Test("The end of the service closes with 1000, its failure with 1011", arguments: LoopKind.all, [true, false])
        func service(_ kind: LoopKind, _ fails: Bool) throws {
            let subject = Subject<Int, SocketError>()
            let fixture = try HTTPFixture(webSocket: kind) { _ in subject.signal }
            let peer = try WebSocketPeer(fixture)
            if fails { subject.fail(SocketError(.closed, "broken")) } else { subject.complete() }
            try peer.expect(.close, Self.close(fails ? 1011 : 1000))
            // What arrives before the answer is discarded.
            try peer.send(.text, "late")
            try peer.send(.close, Self.close(1000))
            try peer.expectEnd()
        }

        @Test("A source is sent, then the WebSocket is closed; its failure closes with 1011", arguments: LoopKind.all)
        func source(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(webSocket: kind) { socket in
                socket.send(from: Signal<WebSocketMessage, Never>(values: ["one", .binary("two")]))
            }
            let peer = try WebSocketPeer(fixture)
            try peer.expect(.text, "one")
            try peer.expect(.binary, "two")
            try peer.expect(.close, Self.close(1000))
            let errors = Recorder<WebSocketError>()
            let failing = try HTTPFixture(webSocket: kind) { socket in
                let result = socket.send(
                    from: Signal<WebSocketMessage, SocketError>.fail(SocketError(.malformed, "no"))
                )
                result.subscribe(onTermination: { if case .failed(let error) = $0 { errors.append(error) } })
                return Signal<Never, Never>.never
            }
            try WebSocketPeer(failing).expect(.close, Self.close(1011))
            #expect(errors.values.map(\.code) == [.sourceFailed])
        }

        @Test("A drain closes with 1001", arguments: LoopKind.all)
        func drain(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(webSocket: kind, service: Self.echo)
            let peer = try WebSocketPeer(fixture)
            fixture.server.drain(within: .seconds(5))
            try peer.expect(.close, Self.close(1001))
            try peer.send(.close, Self.close(1001))
            try peer.expectEnd()
        }

        @Test("A source may end on the loop before the loop has begun to send it", arguments: LoopKind.all)
        func endBeforeBegin(_ kind: LoopKind) throws {
            let sockets = Recorder<WebSocket>()
            let fixture = try HTTPFixture(webSocket: kind) { socket in
                sockets.append(socket)
                return Signal<Never, Never>.never
            }
            let peer = try WebSocketPeer(fixture)
            let socket = sockets.values[0]
            let source = Subject<WebSocketMessage, Never>()
            let isSent = Box(false)
            fixture.loop.execute {
                // The loop begins in a later job, because the call comes from another thread.
                try? TestThread {
                    socket.send(from: source.signal).subscribe(onTermination: { isSent.value = $0 == .completed })
                }.join()
                source.send("last")
                source.send(termination: .completed)
            }
            try peer.expect(.text, "last")
            try peer.expect(.close, Self.close(1000))
            try fixture.loop.turns { isSent.value }
        }

        @Test("A source may close the WebSocket when it is paused", arguments: LoopKind.all)
        func closeInPause(_ kind: LoopKind) throws {
            let isSent = Box(false)
            let fixture = try HTTPFixture(webSocket: kind) { socket in
                let source = Signal<WebSocketMessage, Never> { emitter, subscription in
                    subscription.onFlowChange { isPaused in if isPaused { socket.close(.goingAway) } }
                    let message = WebSocketMessage.binary(Bytes([UInt8](repeating: 1, count: 256 * 1024)))
                    for _ in 0..<200 { emitter.send(message) }
                }
                socket.send(from: source).subscribe(onTermination: { _ in isSent.value = true })
                return Signal<Never, Never>.never
            }
            // It does not read.
            let peer = try WebSocketPeer(fixture)
            try fixture.loop.turns { isSent.value }
            withExtendedLifetime(peer) {}
        }

        @Test("A close of the connection by the end of a source follows the Close frame", arguments: LoopKind.all)
        func closeFirst(_ kind: LoopKind) throws {
            let sockets = Recorder<WebSocket>()
            let fixture = try HTTPFixture(webSocket: kind) { socket in
                sockets.append(socket)
                socket.send(from: Signal<WebSocketMessage, Never>.never)
                    .subscribe(onTermination: { _ in socket.connection.close() })
                return Signal<Never, Never>.never
            }
            let peer = try WebSocketPeer(fixture)
            sockets.values[0].close(.goingAway)
            try fixture.loop.turns {
                peer.receive()
                return peer.end != .nothing
            }
            #expect(peer.frames.map { Bytes($0.payload) } == [Self.close(1001)])
        }

        @Test("A paused subscriber pauses the peer, and receives everything later", arguments: LoopKind.all)
        func backPressure(_ kind: LoopKind) throws {
            let received = Recorder<Int>()
            let subscription = SignalSubscription()
            let fixture = try HTTPFixture(webSocket: kind) { socket in
                socket.messages.subscribe(
                    in: subscription,
                    onValue: { if case .binary(let bytes) = $0 { received.append(bytes.count) } },
                    onTermination: { _ in }
                )
                return Signal<Never, Never>.never
            }
            let peer = try WebSocketPeer(fixture)
            try peer.send(.binary, "first")
            try fixture.loop.turns { received.count == 1 }
            let pause = subscription.pause()
            let frame = WebSocketPeer.frame(.binary, Bytes([UInt8](repeating: 7, count: 60_000)))
            var (sent, blocked) = (0, 0)
            // The buffers of the kernel are a few megabytes.
            while blocked < 50 {
                let count = peer.raw.send(frame[(sent % frame.count)...])
                sent += count
                blocked = count == 0 ? blocked + 1 : 0
                try fixture.loop.turns(1)
                if sent > 100 << 20 { break }
            }
            #expect(received.count == 1 && sent < 100 << 20)
            pause.dispose()
            if sent % frame.count != 0 { try fixture.send(Array(frame[(sent % frame.count)...]), from: peer.raw) }
            let expected = (sent + frame.count - 1) / frame.count
            try fixture.loop.turns { received.count == expected + 1 }
            #expect(received.values.dropFirst().allSatisfy { $0 == 60_000 })
        }

        @Test("A peer that does not read pauses the source", arguments: LoopKind.all)
        func slowPeer(_ kind: LoopKind) throws {
            let produced = Recorder<Int>()
            let chunk = Bytes([UInt8](repeating: 1, count: 32_768))
            let fixture = try HTTPFixture(webSocket: kind) { socket in
                let source = Signal<Int, Never>(values: 0..<10_000).map { number in
                    produced.append(number)
                    return WebSocketMessage.binary(chunk)
                }
                return socket.send(from: source)
            }
            let peer = try WebSocketPeer(fixture, receiveBuffer: 65_536)
            try fixture.loop.turns(100)
            let count = produced.count
            #expect(count > 0 && count < 1_000)
            // Pings are still received; only the latest is answered later.
            try peer.send(.ping, "1")
            try peer.send(.ping, "2")
            try fixture.loop.turns(100)
            #expect(produced.count == count)
            var pongs: [[UInt8]] = []
            for _ in 0..<2_000 where pongs.isEmpty {
                pongs += try peer.frames(1).filter { $0.opcode == .pong }.map(\.payload)
            }
            #expect(pongs == [[0x32]] && produced.count > count)
        }

        @Test("A Close frame of a peer that does not read ends the sources at once", arguments: LoopKind.all)
        func slowPeerCloses(_ kind: LoopKind) throws {
            let (produced, errors) = (Recorder<Int>(), Recorder<WebSocketError>())
            let chunk = Bytes([UInt8](repeating: 1, count: 32_768))
            let fixture = try HTTPFixture(webSocket: kind) { socket in
                let source = Signal<Int, Never>(values: 0..<10_000).map { number in
                    produced.append(number)
                    return WebSocketMessage.binary(chunk)
                }
                let result = socket.send(from: source)
                result.subscribe(onTermination: { if case .failed(let error) = $0 { errors.append(error) } })
                return result
            }
            let peer = try WebSocketPeer(fixture, receiveBuffer: 65_536)
            try fixture.loop.turns(100)
            let count = produced.count
            #expect(count > 0 && count < 1_000)
            try peer.send(.close, [0x03, 0xE8])
            try fixture.loop.turns { errors.count == 1 }
            try fixture.loop.turns(20)
            #expect(errors.values.map(\.code) == [.closed] && produced.count == count)
        }

        /// Beginnings of streams: nothing, and the first part of a message, of a head and of a payload.
        private static let beginnings: [[UInt8]] = {
            let (first, only) = (WebSocketPeer.frame(.text, "a", isFinal: false), WebSocketPeer.frame(.text, "ab"))
            return [[], first, Array(only.prefix(1)), Array(only.dropLast())]
        }()

        @Test("The end of the stream without a Close frame is incomplete", arguments: LoopKind.all, beginnings)
        func incomplete(_ kind: LoopKind, _ beginning: [UInt8]) throws {
            let errors = Recorder<WebSocketError>()
            let fixture = try HTTPFixture(webSocket: kind) { socket in
                let messages = socket.messages.share()
                messages.subscribe(
                    onValue: { _ in },
                    onTermination: { if case .failed(let error) = $0 { errors.append(error) } }
                )
                return messages
            }
            let peer = try WebSocketPeer(fixture)
            try fixture.send(beginning, from: peer.raw)
            peer.raw.finish()
            try peer.expectEnd()
            #expect(errors.values.map(\.code) == [.incomplete])
            #expect(fixture.failures.values.isEmpty)
        }

        @Test("Disposing the loop releases a WebSocket with its subscribers and sources", arguments: LoopKind.all)
        func release(_ kind: LoopKind) throws {
            weak var released: WebSocket?
            do {
                let sockets = Recorder<WebSocket>()
                let fixture = try HTTPFixture(webSocket: kind) { socket in
                    sockets.append(socket)
                    socket.ended.subscribe(onValue: { _ in }, onTermination: { _ in })
                    return socket.send(from: socket.messages)
                }
                let peer = try WebSocketPeer(fixture)
                try peer.send(.text, "x")
                try peer.expect(.text, "x")
                released = sockets.values[0]
                sockets.clear()
                #expect(released != nil)
                fixture.loop.dispose()
                peer.raw.close()
            }
            #expect(released == nil)
        }

        @Test("A text is compressed if both sides agree", arguments: LoopKind.all)
        func compression(_ kind: LoopKind) throws {
            let configuration = WebSocketConfiguration { $0.compression = WebSocketCompression() }
            let fixture = try HTTPFixture(webSocket: kind, configuration, service: Self.echo)
            let offer = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"
            let peer = try WebSocketPeer(fixture, fields: offer)
            #expect(peer.response.lowercased().contains("sec-websocket-extensions: permessage-deflate\r\n"))
            let text = Bytes(String(repeating: "hello ", count: 1_000))
            try peer.send(.text, text)
            let frame = try peer.frames(1)[0]
            #expect(frame.opcode == .text && frame.payload.count < 100)
            let without = try WebSocketPeer(fixture)
            #expect(!without.response.lowercased().contains("extensions"))
            try without.send(.text, text)
            try without.expect(.text, text)
        }
    }
#endif
