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

    /// What invalid peers and broken services receive, on each loop.
    @Suite struct FailureTests {
        private static let invalid: [(String, Int)] = [
            ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost:\r\n\r\n", 400),
            ("TRACE / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", 400),
            ("GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
            ("GET / HTTP/1.1\nHost: a\n\n", 400), ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505), ("\u{16}\u{3}\u{1}\u{0}", 400),
            ("GET /" + String(repeating: "a", count: 9000) + " HTTP/1.1\r\nHost: a\r\n\r\n", 414),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 40_000) + "\r\n\r\n", 431),
            ("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: a\r\n", count: 101) + "\r\n", 431),
        ]

        @Test(
            "An invalid request is answered, after the responses before it, and ends the connection",
            arguments: LoopKind.all
        )
        func invalid(_ kind: LoopKind) throws {
            let calls = Box(0)
            // A Unix socket delivers bytes before the send returns.
            let fixture = try HTTPFixture(kind, on: abstractName()) { _ in
                calls.update { $0 += 1 }
                return .ok("x")
            }
            let other = try fixture.connect()
            for (number, (request, status)) in Self.invalid.enumerated() {
                let client = try fixture.connect()
                try fixture.send(ExchangeTests.get + request + ExchangeTests.get, from: client)
                // The server reports the failure before it answers later requests of another client.
                for _ in 0..<10 { _ = try fixture.exchange(ExchangeTests.get, on: other) }
                try #require(fixture.failures.count == number + 1)
                let (text, end) = try fixture.receiveToEnd(at: client)
                var reader = RawResponses()
                reader.feed(Array(text.utf8))
                #expect(reader.complete.map(\.status) == [200, status], "\(request.prefix(80)): \(text)")
                #expect(reader.rest.isEmpty && reader.complete.last?.fields["connection"] == "close" && end == .end)
                #expect(calls.value == 11 * (number + 1) && fixture.failures.count == number + 1)
                #expect(fixture.failures.values.last?.error.status?.code == status)
            }
        }

        @Test("A peer that ends its stream inside a head receives 400", arguments: LoopKind.all)
        func incomplete(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { _ in .ok("x") }
            let client = try fixture.connect()
            try fixture.send("GET / HTTP/1.1\r\nHo", from: client)
            client.finish()
            let (text, end) = try fixture.receiveToEnd(at: client)
            #expect(text.hasPrefix("HTTP/1.1 400 ") && end == .end)
        }

        @Test("A peer that ends its stream between requests receives nothing", arguments: LoopKind.all)
        func between(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { _ in .ok("x") }
            let client = try fixture.connect()
            let response = try fixture.exchange(ExchangeTests.get, on: client)
            #expect(response.text == "x")
            client.finish()
            let (text, end) = try fixture.receiveToEnd(at: client)
            #expect(text.isEmpty && end == .end && fixture.failures.count == 0)
        }

        private struct Broken: Error {}

        @Test("A service that fails is answered with 500, or with the status of its HTTPError", arguments: LoopKind.all)
        func service(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { request -> Signal<HTTPResponseMessage, any Error> in
                switch request.head.path {
                case "/limit": .fail(HTTPError(.contentTooLarge, "too much"))
                case "/nothing": .empty
                case "/secret": .fail(HTTPError(.serviceFailed, "Broken"))
                case "/gateway": .fail(HTTPError(.badGateway, "Broken"))
                case "/slow": .fail(HTTPError(.gatewayTimeout, "Broken"))
                case "/busy": .fail(HTTPError(.overloaded, "Broken"))
                case "/invalid": .fail(HTTPError(.invalidRequest, "Broken"))
                case "/plain": .fail(HTTPError(.noTLS, "Broken"))
                case "/twice": .fail(HTTPError(.alreadyReceiving, "Broken"))
                // Its head has not been sent when it fails.
                case "/body":
                    .just(.ok(HTTPBody(Signal<Bytes, HTTPError>.fail(HTTPError(.badGateway, "Broken")), length: 5)))
                default: .fail(Broken())
                }
            }
            let statuses = [
                ("/", 500), ("/nothing", 500), ("/secret", 500), ("/limit", 413), ("/gateway", 502), ("/slow", 504),
                ("/busy", 503), ("/body", 502), ("/invalid", 500), ("/plain", 500), ("/twice", 500),
            ]
            for (path, status) in statuses {
                let client = try fixture.connect()
                try fixture.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n", from: client)
                let (text, end) = try fixture.receiveToEnd(at: client)
                #expect(text.hasPrefix("HTTP/1.1 \(status) ") && text.contains("onnection: close") && end == .end)
                #expect(!text.contains("Broken"))
            }
            let codes =
                [HTTPError.Code](repeating: .serviceFailed, count: 3)
                + [.contentTooLarge, .badGateway, .gatewayTimeout, .overloaded, .badGateway]
                + [.invalidRequest, .noTLS, .alreadyReceiving]
            #expect(fixture.failures.values.map(\.error.code) == codes)
            #expect(fixture.failures.values.map(\.isOfService) == statuses.map { $0.1 == 500 })
            #expect(fixture.failures.values.map { $0.path ?? "" } == statuses.map { $0.0 })
            #expect(fixture.failures.values[0].error.cause is Broken)
        }

        @Test("A failure prints its peer, its path and its reason", arguments: LoopKind.all)
        func description(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind, on: ownLoopback()) { request in
                request.head.path == "/x?y" ? .ok(HTTPBody(Signal<Bytes, Broken>.fail(Broken()))) : .ok("x")
            }
            for request in ["GET /x?y HTTP/1.1\r\nHost: a\r\n\r\n", ExchangeTests.get + "invalid\r\n\r\n"] {
                let client = try fixture.connect()
                try fixture.send(request, from: client)
                _ = try fixture.receiveToEnd(at: client)
            }
            try #require(fixture.failures.count == 2)
            let (first, second) = (fixture.failures.values[0], fixture.failures.values[1])
            let address = try #require(first.peer.address)
            #expect("\(first)" == "\(address), /x?y: \(first.error.message)" && "\(first.peer)" == "\(address)")
            // The head is invalid, so there is no path, and not that of the request before.
            #expect(second.path == nil && "\(second)" == "\(second.peer): \(second.error.message)")
            #expect("\(HTTPPeer(address: nil))" == "a peer without an address")
        }

        @Test(
            "A source that fails before its first byte is answered with 500, and later resets",
            arguments: LoopKind.all
        )
        func source(_ kind: LoopKind) throws {
            let subject = Subject<Bytes, Broken>()
            let fixture = try HTTPFixture(kind) { request in
                request.head.path == "/now"
                    ? .ok(HTTPBody(Signal<Bytes, Broken>.fail(Broken()))) : .ok(HTTPBody(subject))
            }
            let first = try fixture.connect()
            try fixture.send("GET /now HTTP/1.1\r\nHost: a\r\n\r\n", from: first)
            let (text, _) = try fixture.receiveToEnd(at: first)
            #expect(text.hasPrefix("HTTP/1.1 500 "))
            let second = try fixture.connect()
            try fixture.send(ExchangeTests.get, from: second)
            var received: [UInt8] = []
            try fixture.loop.turns {
                if case .bytes(let bytes) = second.receive() { received += bytes }
                return !received.isEmpty
            }
            subject.send("part")
            subject.fail(Broken())
            let (_, end) = try fixture.receiveToEnd(at: second)
            #expect(end == .failed(104))
            #expect(fixture.failures.values.map(\.error.code) == [.sourceFailed, .sourceFailed])
        }

        @Test(
            "A source of another length than declared resets",
            arguments: LoopKind.all,
            [["one"], ["one", "two"]] as [[Bytes]]
        )
        func length(_ kind: LoopKind, _ parts: [Bytes]) throws {
            let fixture = try HTTPFixture(kind) { _ in .ok(HTTPBody(Signal<Bytes, Never>(values: parts), length: 5)) }
            let client = try fixture.connect()
            try fixture.send(ExchangeTests.get, from: client)
            let (_, end) = try fixture.receiveToEnd(at: client)
            #expect(end == .failed(104))
            #expect(fixture.failures.values.map(\.error.code) == [.lengthMismatch])
        }

        @Test("A field cannot add a line", arguments: LoopKind.all)
        func splitting(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { request in
                var response = HTTPResponseMessage.ok("x")
                response.head.headerFields[HTTPField.Name("X-Echo")!] = "a\r\nSet-Cookie: b\u{0}\n"
                response.head.headerFields[.contentLength] = "1000"
                response.head.headerFields[.transferEncoding] = "chunked"
                return response
            }
            let client = try fixture.connect()
            let response = try fixture.exchange(ExchangeTests.get, on: client)
            #expect(response.fields["set-cookie"] == nil && response.fields["x-echo"]?.hasPrefix("a") == true)
            #expect(response.fields["content-length"] == "1" && response.fields["transfer-encoding"] == nil)
        }
    }
#endif
