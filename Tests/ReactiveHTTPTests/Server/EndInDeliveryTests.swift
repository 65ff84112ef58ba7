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

    /// Subscribers that end their own connection while they receive a value (law 2), on each loop.
    @Suite struct EndInDeliveryTests {
        /// Records whether a termination arrives during the delivery of a value.
        private final class Observer<Value: Sendable, Failure: Error & Sendable>: Sendable {
            private let isInside = Box(false)
            let overlaps = Box(0)
            let values = Box(0)
            let ends = Box(0)

            func subscribe(to signal: Signal<Value, Failure>, _ act: @escaping @Sendable () -> Void) {
                signal.subscribe(
                    onValue: { [self] _ in
                        isInside.value = true
                        values.increment()
                        act()
                        isInside.value = false
                    },
                    onTermination: { [self] _ in
                        if isInside.value { overlaps.increment() }
                        ends.increment()
                    }
                )
            }
        }

        @Test("A server that stops inside of the delivery of a body ends the body afterwards", arguments: LoopKind.all)
        func requestBody(_ kind: LoopKind) throws {
            let observer = Observer<Bytes, HTTPError>()
            let server = Box<HTTPServer?>(nil)
            let fixture = try HTTPFixture(kind) { request in
                observer.subscribe(to: request.body.signal) { server.value?.stop() }
                return Signal<HTTPResponseMessage, HTTPError>.never
            }
            server.value = fixture.server
            let client = try fixture.connect()
            // A client that leaves would end the body too.
            defer { client.close() }
            try fixture.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello", from: client)
            try fixture.loop.turns { observer.ends.value > 0 }
            try fixture.loop.turns(5)
            server.value = nil
            #expect(observer.values.value == 1 && observer.ends.value == 1 && observer.overlaps.value == 0)
        }

        @Test("A client that stops inside of the delivery of a body ends the body afterwards", arguments: LoopKind.all)
        func responseBody(_ kind: LoopKind) throws {
            let observer = Observer<Bytes, HTTPError>()
            let fixture = try ClientFixture(kind)
            let client = fixture.client
            client.send(.get(fixture.raw.url)).subscribe(
                onValue: { response in observer.subscribe(to: response.body.signal) { client.stop() } },
                onTermination: { _ in }
            )
            let peer = try fixture.acceptRequest()
            defer { peer.close() }
            try fixture.answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", from: peer)
            try fixture.loop.turns { observer.ends.value > 0 }
            try fixture.loop.turns(5)
            #expect(observer.values.value == 1 && observer.ends.value == 1 && observer.overlaps.value == 0)
        }

        @Test(
            "A subscriber that follows inside of a delivery to another one receives the termination",
            arguments: LoopKind.all
        )
        func takenOver(_ kind: LoopKind) throws {
            let ends = Box(0)
            let server = Box<HTTPServer?>(nil)
            let fixture = try HTTPFixture(webSocket: kind) { socket in
                let first = SignalSubscription()
                socket.messages.subscribe(
                    in: first,
                    onValue: { _ in
                        first.dispose()
                        socket.messages.subscribe(onValue: { _ in }, onTermination: { _ in ends.increment() })
                        server.value?.stop()
                    },
                    onTermination: { _ in }
                )
                return Signal<Never, Never>.never
            }
            server.value = fixture.server
            let peer = try WebSocketPeer(fixture)
            defer { peer.raw.close() }
            try peer.send(.text, "a")
            try fixture.loop.turns { fixture.server.state.value == .stopped }
            try fixture.loop.turns(5)
            server.value = nil
            #expect(ends.value == 1)
        }

        @Test(
            "A server that stops inside of the delivery of a message or fragment ends the signal afterwards",
            arguments: LoopKind.all,
            [false, true]
        )
        func message(_ kind: LoopKind, _ usesFragments: Bool) throws {
            let messages = Observer<WebSocketMessage, WebSocketError>()
            let fragments = Observer<WebSocketFragment, WebSocketError>()
            let server = Box<HTTPServer?>(nil)
            let fixture = try HTTPFixture(webSocket: kind) { socket in
                if usesFragments {
                    fragments.subscribe(to: socket.fragments) { server.value?.stop() }
                } else {
                    messages.subscribe(to: socket.messages) { server.value?.stop() }
                }
                return Signal<Never, Never>.never
            }
            server.value = fixture.server
            let peer = try WebSocketPeer(fixture)
            defer { peer.raw.close() }
            try peer.send(.text, "a")
            try fixture.loop.turns { messages.ends.value + fragments.ends.value > 0 }
            try fixture.loop.turns(5)
            server.value = nil
            #expect(messages.values.value + fragments.values.value == 1)
            #expect(messages.ends.value + fragments.ends.value == 1)
            #expect(messages.overlaps.value + fragments.overlaps.value == 0)
        }
    }
#endif
