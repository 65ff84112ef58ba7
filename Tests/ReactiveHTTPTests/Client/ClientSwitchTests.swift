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
            let (server, url) = try fixture.serve(
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
            let raw = try RawPeer(to: server.localAddress)
            raw.send(Array("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n".utf8))
            let (tunnel, _) = try raw.receiveToEnd { isDone in try fixture.loop.turns(until: isDone) }
            #expect(String(decoding: tunnel, as: UTF8.self).hasPrefix("HTTP/1.1 501 "))
            var late = HTTPError(.timedOut, "late")
            late.isOfOrigin = true
            #expect(late.status == .gatewayTimeout && HTTPError(.timedOut, "").status == .requestTimeout)
        }

        @Test("A service that passes on an overload of the client answers with 503", arguments: LoopKind.all)
        func overload(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind) { configuration in
                (configuration.connectionsPerOrigin, configuration.waitingRequests) = (1, 0)
            }
            let (client, origin) = (fixture.client, fixture.raw.url)
            let (server, _) = try fixture.serve(.signal { _ in client.send(.get(origin)) })
            let peers = [try RawPeer(to: server.localAddress), try RawPeer(to: server.localAddress)]
            peers[0].send(Array(ExchangeTests.get.utf8))
            let accepted = try fixture.acceptRequest()
            peers[1].send(Array(ExchangeTests.get.utf8))
            let (text, _) = try peers[1].receiveToEnd { isDone in try fixture.loop.turns(until: isDone) }
            #expect(String(decoding: text, as: UTF8.self).hasPrefix("HTTP/1.1 503 "))
            accepted.close()
        }

        @Test(
            "A response to HEAD is passed on with the length that its server has sent, and otherwise with none",
            arguments: LoopKind.all
        )
        func head(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let (client, url) = (fixture.client, fixture.raw.url)
            let (server, _) = try fixture.serve(.signal { _ in client.send(.request(.head, url)) })
            let peer = try RawPeer(to: server.localAddress)
            var upstream: RawPeer?
            // The fields of the server, and those that its peer receives with HTTP/1.1 and HTTP/1.0.
            let cases = [
                ("200", "", "Transfer-Encoding: chunked\r\n", ""), ("404", "", "Transfer-Encoding: chunked\r\n", ""),
                ("200", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\n", ""),
                ("200", "Content-Length: 0\r\n", "Content-Length: 0\r\n", "Content-Length: 0\r\n"),
                ("200", "Content-Length: 70\r\n", "Content-Length: 70\r\n", "Content-Length: 70\r\n"),
                ("204", "Content-Length: 0\r\n", "", ""), ("304", "", "", ""),
                ("304", "Content-Length: 70\r\n", "Content-Length: 70\r\n", "Content-Length: 70\r\n"),
            ]
            for (status, fields, new, old) in cases {
                for (version, expected) in [("1.1", new), ("1.0", old)] {
                    peer.send(Array("HEAD / HTTP/\(version)\r\nHost: a\r\nConnection: keep-alive\r\n\r\n".utf8))
                    let origin = try upstream ?? fixture.accept()
                    upstream = origin
                    try fixture.receive(at: origin)
                    try fixture.answer("HTTP/1.1 \(status) X\r\n\(fields)\r\n", from: origin)
                    let text = try fixture.receive(at: peer)
                    let lengths = text.split(separator: "\r\n").filter {
                        $0.hasPrefix("Content-Length:") || $0.hasPrefix("Transfer-Encoding:")
                    }
                    #expect(lengths.map { "\($0)\r\n" }.joined() == expected, "\(status), \(fields), HTTP/\(version)")
                    #expect(text.hasPrefix("HTTP/1.1 \(status) ") && text.hasSuffix("\r\n\r\n"))
                }
            }
        }
    }
#endif
