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

    /// Responses of 101, and the client inside a service, on each loop.
    @Suite struct ClientSwitchTests {
        @Test("A connection that is upgraded belongs to the caller", arguments: LoopKind.all)
        func upgrade(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind) { $0.connectionsPerOrigin = 1 }
            let answer = fixture.get(fields: [.upgrade: "echo"], reads: false)
            let peer = try fixture.accept()
            let head = try fixture.receive(at: peer)
            #expect(head.contains("Upgrade: echo\r\nConnection: upgrade\r\n"))
            let response = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: upgrade\r\n\r\nfirst"
            try fixture.answer(response, from: peer)
            try fixture.loop.turns { answer.hasHead }
            let upgrade = try #require(answer.response?.upgrade)
            let (received, hasEnded) = (Box(""), Box(false))
            upgrade.received.subscribe(
                onValue: { bytes in received.update { $0 += String(decoding: bytes, as: UTF8.self) } },
                onTermination: { _ in hasEnded.value = true }
            )
            upgrade.connection.send("hello")
            try fixture.receive(at: peer, until: "hello")
            try fixture.answer("second", from: peer)
            try fixture.loop.turns { received.value == "firstsecond" }
            // It does not count any more.
            let next = fixture.get()
            let other = try fixture.acceptRequest()
            try fixture.answer(ClientFixture.ok, from: other)
            try fixture.finish(next)
            peer.finish()
            try fixture.loop.turns { hasEnded.value }
            upgrade.connection.close()
            let end = try fixture.expectEnd(at: peer)
            #expect(end == .end)
            peer.close()
            other.close()
            try fixture.expectNoConnections()
        }

        @Test("A service that passes on the failures of a client answers as a gateway", arguments: LoopKind.all)
        func gateway(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let (client, origin) = (fixture.client, "\(fixture.raw.address)")
            let (_, url) = try fixture.serve(
                .signal { request in
                    var request = request
                    request.head.authority = request.head.path == "/refused" ? "\(RawSocket.closedAddress)" : origin
                    return client.send(request)
                }
            )
            let refused = fixture.send(.get("\(url)/refused"))
            try fixture.finish(refused)
            #expect(refused.status == 502)
            let malformed = fixture.send(.get("\(url)/malformed"))
            let peer = try fixture.acceptRequest()
            try fixture.answer("garbage\r\n\r\n", from: peer)
            try fixture.finish(malformed)
            #expect(malformed.status == 502)
            let echo = fixture.send(.post("\(url)/echo", body: HTTPBody("data")))
            let second = try fixture.accept()
            try fixture.receive(at: second, until: "data")
            try fixture.answer(ClientFixture.ok, from: second)
            try fixture.finish(echo)
            #expect(echo.status == 200 && echo.text == "hello")
            var late = HTTPError(.timedOut, "late")
            late.isOfOrigin = true
            #expect(late.status == .gatewayTimeout && HTTPError(.timedOut, "").status == .requestTimeout)
        }
    }
#endif
