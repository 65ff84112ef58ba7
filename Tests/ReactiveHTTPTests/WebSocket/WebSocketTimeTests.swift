// SPDX-License-Identifier: MIT
#if HTTP
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP

    /// Keep-alive and the closing handshake, in virtual time, on each loop.
    @Suite struct WebSocketTimeTests {
        private static func errors(of socket: WebSocket, in recorder: Recorder<WebSocketError>) {
            socket.ended.subscribe(
                onValue: { _ in },
                onTermination: { if case .failed(let error) = $0 { recorder.append(error) } }
            )
        }

        @Test("A silent peer is pinged, and given up if it stays silent", arguments: LoopKind.all)
        func keepAlive(_ kind: LoopKind) throws {
            let (clock, errors) = (ManualClock(), Recorder<WebSocketError>())
            let fixture = try HTTPFixture(webSocket: kind, clock: clock) { socket in
                Self.errors(of: socket, in: errors)
                return socket.messages
            }
            let peer = try WebSocketPeer(fixture)
            try clock.pass(.seconds(35), on: fixture.loop)
            try peer.expect(.ping, Bytes())
            try peer.send(.pong)
            try clock.pass(.seconds(110), on: fixture.loop)
            try peer.expect(.ping, Bytes())
            try peer.expectEnd()
            #expect(errors.values.map(\.code) == [.timedOut])
        }

        @Test("Messages are a sign of life", arguments: LoopKind.all)
        func busy(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let fixture = try HTTPFixture(webSocket: kind, clock: clock) { $0.send(from: $0.messages) }
            let peer = try WebSocketPeer(fixture)
            for _ in 0..<10 {
                try clock.pass(.seconds(20), on: fixture.loop)
                try peer.send(.text, "x")
                try peer.expect(.text, "x")
            }
        }

        @Test("A Close frame that is not answered ends the WebSocket after its limit", arguments: LoopKind.all)
        func unanswered(_ kind: LoopKind) throws {
            let (clock, errors) = (ManualClock(), Recorder<WebSocketError>())
            let fixture = try HTTPFixture(webSocket: kind, clock: clock) { socket in
                Self.errors(of: socket, in: errors)
                socket.close(.policyViolation, reason: "go")
                socket.close(.normal)
                return Signal<Never, Never>.never
            }
            let peer = try WebSocketPeer(fixture)
            try peer.expect(.close, Bytes(joining: [Bytes(UInt16(1008)), "go"]))
            try clock.pass(.milliseconds(4_500), on: fixture.loop)
            #expect(errors.count == 0)
            try clock.pass(.seconds(2), on: fixture.loop)
            #expect(errors.values.map(\.code) == [.timedOut])
            try peer.expectEnd()
        }

        @Test("A client closes the connection after its limit if the server does not", arguments: LoopKind.all)
        func unclosed(_ kind: LoopKind) throws {
            let (clock, closes) = (ManualClock(), Recorder<WebSocketClose>())
            let server = try WebSocketRawServer(kind, clock: clock)
            server.client.subscribe(
                onValue: { socket in
                    socket.ended.subscribe(onValue: { closes.append($0) }, onTermination: { _ in })
                },
                onTermination: { _ in }
            )
            try server.accept(then: [0x88, 0x02, 0x03, 0xE9])
            var answer: [UInt8] = []
            try server.loop.turns {
                if case .bytes(let bytes)? = server.peer.value?.receive() { answer += bytes }
                return answer.count == 8
            }
            try clock.pass(.milliseconds(4_500), on: server.loop)
            #expect(closes.count == 0)
            try clock.pass(.seconds(2), on: server.loop)
            #expect(closes.values == [WebSocketClose(.goingAway)] && server.peer.value?.receive() == .end)
        }

        enum Service: CaseIterable { case onlySends, works }

        @Test(
            "A client's end of stream behind unread messages is noticed",
            arguments: LoopKind.all,
            Service.allCases
        )
        func left(_ kind: LoopKind, _ service: Service) throws {
            let clock = ManualClock()
            let fixture = try HTTPFixture(webSocket: kind, clock: clock) { socket -> Signal<Never, WebSocketError> in
                switch service {
                case .onlySends: socket.send(from: Signal<WebSocketMessage, Never>.never)
                case .works:
                    socket.send(
                        from: socket.messages.flatMap(.concat) { _ in Signal<WebSocketMessage, WebSocketError>.never }
                    )
                }
            }
            let peer = try WebSocketPeer(fixture)
            for _ in 0..<4 {
                try peer.send(.text, "x")
                try fixture.loop.turns(3)
            }
            try peer.send(.close, Bytes(UInt16(1001)))
            try fixture.loop.turns(3)
            peer.raw.close()
            try clock.pass(.seconds(150), on: fixture.loop)
            #expect(fixture.server.totals.ended == 1)
        }

        /// All messages arrive at once, so no byte moves during the work.
        @Test("A slow service receives all messages of a client that has left", arguments: LoopKind.all)
        func slow(_ kind: LoopKind) throws {
            let (clock, received) = (ManualClock(), Recorder<String>())
            let fixture = try HTTPFixture(webSocket: kind, clock: clock) { socket -> Signal<Never, WebSocketError> in
                let loop = socket.connection.loop
                return socket.messages.flatMap(.concat) { message -> Signal<Never, WebSocketError> in
                    received.append("\(message)")
                    return Signal<Never, WebSocketError>.empty.delay(.seconds(10), on: loop)
                }
            }
            let peer = try WebSocketPeer(fixture)
            for _ in 0..<30 { try peer.send(.text, "x") }
            try peer.send(.close, Bytes(UInt16(1001)))
            try fixture.loop.turns(3)
            peer.raw.close()
            try clock.pass(.seconds(350), on: fixture.loop)
            #expect(received.count == 30)
            #expect(fixture.server.totals.ended == 1)
        }

        /// The operators behind `map` delay values, and the close disposes the service.
        @Test("Messages that a service uses before it delays them are not lost by a close", arguments: LoopKind.all)
        func delaying(_ kind: LoopKind) throws {
            let (clock, received) = (ManualClock(), Recorder<String>())
            let fixture = try HTTPFixture(webSocket: kind, clock: clock) { socket -> Signal<Void, WebSocketError> in
                socket.messages.map { received.append("\($0)") }
                    .rateLimit(10, per: .seconds(1), on: socket.connection.loop)
            }
            let peer = try WebSocketPeer(fixture)
            for _ in 0..<60 { try peer.send(.text, "x") }
            try peer.send(.close, Bytes(UInt16(1000)))
            try clock.pass(.seconds(20), on: fixture.loop)
            #expect(received.count == 60 && fixture.server.totals.ended == 1)
            peer.raw.close()
        }

        @Test("A server's end of stream behind unread messages is noticed", arguments: LoopKind.all)
        func leftClient(_ kind: LoopKind) throws {
            let (clock, ends) = (ManualClock(), Box(0))
            let server = try WebSocketRawServer(kind, clock: clock)
            let held = Box<WebSocket?>(nil)
            server.client.subscribe(
                onValue: { socket in
                    held.value = socket
                    socket.ended.subscribe(onValue: { _ in }, onTermination: { _ in ends.increment() })
                },
                onTermination: { _ in }
            )
            try server.accept()
            try server.loop.turns { held.value != nil }
            for _ in 0..<4 {
                try server.send([0x81, 1, 0x61])
                try server.loop.turns(3)
            }
            server.peer.value?.close()
            try clock.pass(.seconds(150), on: server.loop)
            #expect(ends.value == 1)
        }
    }
#endif
