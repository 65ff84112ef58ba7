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

    /// Connections that another protocol takes over, on each loop.
    @Suite struct UpgradeTests {
        private static let request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n"

        @Test("The protocol receives the bytes that arrived with the request, and later ones", arguments: LoopKind.all)
        func echo(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { _ in .upgrade(to: "echo") { upgrade in upgrade.received } }
            let client = try fixture.connect()
            try fixture.send(Self.request + "early ", from: client)
            try fixture.send("late", from: client)
            var text = ""
            try fixture.loop.turns {
                if case .bytes(let bytes) = client.receive() { text += String(decoding: bytes, as: UTF8.self) }
                return text.hasSuffix("late")
            }
            #expect(text.hasPrefix("HTTP/1.1 101 ") && text.hasSuffix("\r\n\r\nearly late"))
            #expect(text.lowercased().contains("\r\nupgrade: echo\r\n"))
            #expect(text.lowercased().contains("\r\nconnection: upgrade\r\n") && !text.contains("ontent-"))
            client.finish()
            let (rest, end) = try fixture.receiveToEnd(at: client)
            #expect(rest.isEmpty && end == .end)
        }

        @Test("Its end closes the connection, and its failure resets it", arguments: LoopKind.all, [true, false])
        func ends(_ kind: LoopKind, _ fails: Bool) throws {
            let subject = Subject<Bytes, SocketError>()
            let fixture = try HTTPFixture(kind) { _ in .upgrade(to: "echo") { _ in subject.signal } }
            let client = try fixture.connect()
            try fixture.send(Self.request, from: client)
            var text = ""
            try fixture.loop.turns {
                if case .bytes(let bytes) = client.receive() { text += String(decoding: bytes, as: UTF8.self) }
                return text.hasSuffix("\r\n\r\n")
            }
            if fails { subject.fail(SocketError(.malformed, "broken")) } else { subject.complete() }
            let (_, end) = try fixture.receiveToEnd(at: client)
            #expect(end == (fails ? .failed(104) : .end))
        }

        @Test(
            "A request that asks for no upgrade, or is of HTTP/1.0, gets none",
            arguments: LoopKind.all,
            [
                "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: echo\r\n\r\n",
                "GET / HTTP/1.0\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n",
            ]
        )
        func notAsked(_ kind: LoopKind, _ request: String) throws {
            let fixture = try HTTPFixture(kind) { _ in .upgrade(to: "echo") { upgrade in upgrade.received } }
            let client = try fixture.connect()
            try fixture.send(request, from: client)
            let response = try fixture.responses(1, at: client)[0]
            #expect(response.status == 426 && response.fields["upgrade"] == "echo")
            #expect(fixture.failures.values.isEmpty)
        }

        @Test("After the response to CONNECT, no bytes are parsed as requests", arguments: LoopKind.all)
        func connect(_ kind: LoopKind) throws {
            let calls = Box(0)
            let fixture = try HTTPFixture(kind) { _ in
                calls.increment()
                return .ok("x")
            }
            let client = try fixture.connect()
            try fixture.send("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", from: client)
            let (text, _) = try fixture.receiveToEnd(at: client)
            #expect(text.components(of: "HTTP/1.1 ") == 1 && text.contains("onnection: close"), "\(text)")
            #expect(calls.value == 1)
        }

        @Test("A request for https over a connection without TLS is refused", arguments: LoopKind.all)
        func insecure(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { request in .ok(Bytes(request.head.scheme ?? "")) }
            let client = try fixture.connect()
            let plain = try fixture.exchange("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", on: client)
            #expect(plain.text == "http")
            let secure = try fixture.exchange("GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\n", on: client)
            #expect(secure.status == 400)
        }

        @Test("An upgrade inside a body is refused", arguments: LoopKind.all)
        func insideBody(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { _ in .upgrade(to: "echo") { upgrade in upgrade.received } }
            let client = try fixture.connect()
            try fixture.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab", from: client)
            let response = try fixture.responses(1, at: client)[0]
            #expect(response.status == 500)
            #expect(fixture.failures.values.map(\.error.code) == [.serviceFailed])
        }

        enum SpokenProtocol: CaseIterable { case onlySends, works }

        @Test("A protocol continues to send although its client has ended its stream", arguments: LoopKind.all)
        func sendsAfterEnd(_ kind: LoopKind) throws {
            let subject = Subject<Bytes, SocketError>()
            let fixture = try HTTPFixture(kind) { _ in .upgrade(to: "echo") { _ in subject.signal } }
            let client = try fixture.connect()
            try fixture.send(Self.request, from: client)
            client.finish()
            try fixture.loop.turns(10)
            #expect(fixture.server.totals.ended == 0)
            subject.send("late")
            subject.complete()
            let (text, end) = try fixture.receiveToEnd(at: client)
            #expect(text.hasPrefix("HTTP/1.1 101 ") && text.hasSuffix("late") && end == .end)
        }

        @Test(
            "An end of stream behind bytes that the protocol does not receive is noticed",
            arguments: LoopKind.all,
            SpokenProtocol.allCases
        )
        func left(_ kind: LoopKind, _ spoken: SpokenProtocol) throws {
            let clock = ManualClock()
            let fixture = try HTTPFixture(kind, clock: clock) { _ in
                .upgrade(to: "echo") { upgrade in
                    switch spoken {
                    case .onlySends: Signal<Bytes, SocketError>.never
                    case .works: upgrade.received.flatMap(.concat) { _ in Signal<Bytes, SocketError>.never }
                    }
                }
            }
            let client = try fixture.connect()
            try fixture.send(Self.request, from: client)
            try fixture.loop.turns(5)
            for _ in 0..<4 {
                try fixture.send("x", from: client)
                try fixture.loop.turns(3)
            }
            client.close()
            try clock.pass(.seconds(150), on: fixture.loop)
            #expect(fixture.server.totals.ended == 1)
        }
    }
#endif
