// SPDX-License-Identifier: MIT
#if HTTP
    import Glibc
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCommands
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveHTTP

    /// Requests and responses of a client, on each loop.
    @Suite struct ClientExchangeTests {
        @Test("Many requests to a server share one connection", arguments: LoopKind.all)
        func keepAlive(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let (server, url) = try fixture.serve(
                .function { request in .ok("\(request.head.path ?? "") \(request.head.authority ?? "")") }
            )
            for number in 0..<100 {
                let answer = fixture.send(.get("\(url)/\(number)?q"))
                try fixture.finish(answer)
                #expect(answer.status == 200 && answer.text == "/\(number)?q \(server.localAddress)")
                #expect(answer.terminationCount == 1)
            }
            #expect(server.totals.accepted == 1 && fixture.client.connectionCount == 1)
        }

        @Test("A signal sends once for each subscription, and not before", arguments: LoopKind.all)
        func cold(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let calls = Box(0)
            let (_, url) = try fixture.serve(
                .function { _ in
                    calls.increment()
                    return .ok("x")
                }
            )
            let signal = fixture.client.send(.get(url))
            try fixture.loop.turns(10)
            #expect(calls.value == 0)
            for _ in 0..<2 { try fixture.finish(Answer(signal)) }
            #expect(calls.value == 2)
        }

        @Test("The bytes of a request", arguments: LoopKind.all)
        func bytes(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            var request = HTTPRequestMessage.post(fixture.raw.url + "/a?b=c#d", body: HTTPBody("data"))
            request.head.headerFields[.contentType] = "text/plain"
            request.head.headerFields[.contentLength] = "999"
            request.head.headerFields[.transferEncoding] = "gzip"
            let answer = fixture.send(request)
            let peer = try fixture.accept()
            let text = try fixture.receive(at: peer, until: "data")
            #expect(
                text == "POST /a?b=c HTTP/1.1\r\nHost: \(fixture.raw.address)\r\nContent-Type: text/plain\r\n"
                    + "Content-Length: 4\r\n\r\ndata"
            )
            try fixture.answer("HTTP/1.1 201 Created\r\nContent-Length: 2\r\nX: y\r\n\r\nok", from: peer)
            try fixture.finish(answer)
            #expect(answer.status == 201 && answer.text == "ok")
            #expect(answer.response?.peer?.address == fixture.raw.address)
            // A negative length counts as zero.
            #expect(HTTPBody(Signal<Bytes, Never>.empty, length: -100).length == 0)
            for body in [.empty, HTTPBody(Signal<Bytes, Never>.empty, length: -100)] {
                let empty = fixture.send(.put(fixture.raw.url, body: body))
                let second = try fixture.receive(at: peer)
                #expect(second == "PUT / HTTP/1.1\r\nHost: \(fixture.raw.address)\r\nContent-Length: 0\r\n\r\n")
                try fixture.answer("HTTP/1.1 204 No Content\r\n\r\n", from: peer)
                try fixture.finish(empty)
                #expect(empty.status == 204 && empty.bodyCompleted)
            }
        }

        @Test(
            "A request that a server has received without a length is passed on without one",
            arguments: LoopKind.all,
            [HTTPRequest.Method.put, .post, .patch]
        )
        func withoutLength(_ kind: LoopKind, _ method: HTTPRequest.Method) throws {
            let fixture = try ClientFixture(kind)
            var request = HTTPRequestMessage.request(method, fixture.raw.url)
            request.peer = HTTPPeer(address: nil)
            let answer = fixture.send(request)
            let peer = try fixture.accept()
            let start = "\(method.rawValue) / HTTP/1.1\r\nHost: \(fixture.raw.address)\r\n"
            #expect(try fixture.receive(at: peer) == "\(start)\r\n")
            try fixture.answer("HTTP/1.1 411 Length Required\r\nContent-Length: 0\r\n\r\n", from: peer)
            try fixture.finish(answer)
            #expect(answer.status == 411)
            request.head.headerFields[.contentLength] = "0"
            let empty = fixture.send(request)
            #expect(try fixture.receive(at: peer) == "\(start)Content-Length: 0\r\n\r\n")
            try fixture.answer(ClientFixture.ok, from: peer)
            try fixture.finish(empty)
        }

        @Test("A Host field replaces the authority", arguments: LoopKind.all)
        func host(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            var request = HTTPRequestMessage.get(fixture.raw.url)
            request.head.headerFields[.hostField] = "example.com"
            let answer = fixture.send(request)
            let peer = try fixture.accept()
            let text = try fixture.receive(at: peer)
            #expect(text == "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
            try fixture.answer(ClientFixture.ok, from: peer)
            try fixture.finish(answer)
        }

        @Test("Requests that cannot be sent fail, and nothing is sent", arguments: LoopKind.all)
        func invalid(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let host = "\(fixture.raw.address)"
            var requests = [
                "ftp://\(host)/", "\(host)/", "/", "", "http://", "http:///path", "http://user:pw@\(host)/",
                "http://\(host)/a b", "http://\(host)/a\r\nX: y", "http://\(host)/\r\n", "http://\(host)/\0",
                "http://a b/", "http://\(host)/ä", "http://127.0.0.1:99999/", "http://127.0.0.1:0/", "http://[::1/",
                "http://[nonsense]/", "http://127.0.0.1:12x/", "http://\(host)/a\\b", " http://\(host)/",
            ].map { HTTPRequestMessage.get($0) }
            var twoHosts = HTTPRequestMessage.get("http://\(host)/")
            twoHosts.head.headerFields.append(HTTPField(name: .hostField, value: "a"))
            twoHosts.head.headerFields.append(HTTPField(name: .hostField, value: "b"))
            var invalidHost = HTTPRequestMessage.get("http://\(host)/")
            invalidHost.head.headerFields[.hostField] = "a b"
            var connect = HTTPRequestMessage.get("http://\(host)/")
            connect.head.method = .connect
            let trace = HTTPRequestMessage.request(.trace, "http://\(host)/", body: HTTPBody("x"))
            requests += [twoHosts, invalidHost, trace]
            for request in requests {
                let answer = fixture.send(request)
                try fixture.finish(answer)
                #expect(answer.error?.code == .invalidRequest, "\(request.head)")
            }
            let tunnel = fixture.send(connect)
            try fixture.finish(tunnel)
            #expect(tunnel.error?.code == .notImplemented)
            let secure = fixture.send(.get("https://\(host)/"))
            try fixture.finish(secure)
            #expect(secure.error?.code == .noTLS && secure.error?.message.contains("ReactiveTLS") == true)
            try fixture.loop.turns(10)
            #expect(fixture.raw.accept() == nil)
        }

        @Test(
            "A URL with whitespace or a control character is named in the error",
            arguments: LoopKind.all,
            ["http://a/b c", "http://a/ ", " http://a/", "http://a/\n", "http://a b/", "http://a/\u{7F}", "a b", " "]
        )
        func whitespace(_ kind: LoopKind, _ url: String) throws {
            let fixture = try ClientFixture(kind)
            let answer = fixture.send(.get(url))
            try fixture.finish(answer)
            let message = "the URL \(url.debugDescription) contains whitespace or a control character"
            #expect(answer.error?.code == .invalidRequest && answer.error?.message.hasPrefix(message) == true)
            let relative = fixture.send(.get("a/b"))
            try fixture.finish(relative)
            #expect(relative.error?.message.contains("has no scheme") == true)
        }

        @Test("A request whose process has no address left fails with the status 503", arguments: LoopKind.all)
        func exhausted(_ kind: LoopKind) throws {
            // An address that no interface has, as if no port were left.
            let foreign = try SocketAddress(host: "192.0.2.1", port: 0)
            let fixture = try ClientFixture(kind) { $0.connecting.localAddress = foreign }
            let answer = fixture.get()
            try fixture.finish(answer)
            #expect(answer.error?.code == .connection && answer.error?.status == .serviceUnavailable)
            let exhausted = [EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL].map { SocketError.system("x", $0) }
            let noWatch = SocketError(.loop, errno: ENOSPC, "x")
            for cause in exhausted + [SocketError(.outOfDescriptors, "x"), noWatch] {
                #expect(HTTPError(.connection, "x", cause: cause).status == .serviceUnavailable)
            }
            for cause in [SocketError.system("x", ECONNREFUSED), SocketError(.unknownHost, "x")] {
                #expect(HTTPError(.connection, "x", cause: cause).status == nil)
            }
        }

        @Test("HEAD, 204 and 304 have no body, and the connection stays open", arguments: LoopKind.all)
        func bodyless(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let first = fixture.send(.request(.head, fixture.raw.url))
            let peer = try fixture.acceptRequest()
            try fixture.answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", from: peer)
            try fixture.finish(first)
            #expect(first.bodyCompleted && first.body.isEmpty)
            for (status, fields) in [(204, ""), (304, "Content-Length: 7\r\n")] {
                let answer = fixture.get()
                try fixture.receive(at: peer)
                try fixture.answer("HTTP/1.1 \(status) X\r\n\(fields)\r\n", from: peer)
                try fixture.finish(answer)
                #expect(answer.status == status && answer.bodyCompleted && answer.body.isEmpty)
            }
        }

        @Test("A chunked body with trailers, byte by byte", arguments: LoopKind.all)
        func chunked(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let answer = fixture.get()
            let peer = try fixture.acceptRequest()
            let text =
                "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nX-End: yes\r\n\r\n"
            for byte in text.utf8 {
                peer.send([byte])
                try fixture.loop.turns(2)
            }
            try fixture.finish(answer)
            let name = try #require(HTTPField.Name("X-End"))
            #expect(answer.text == "abc0123456789" && answer.trailers?[name] == "yes")
            #expect(fixture.client.connectionCount == 1)
        }

        @Test("A body that ends with the stream, HTTP/1.0, and Connection: close", arguments: LoopKind.all)
        func closing(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            for (head, body) in [
                ("HTTP/1.1 200 OK", "until the end"), ("HTTP/1.0 200 OK\r\nContent-Length: 4", "four"),
                ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4", "four"),
                ("HTTP/1.1 200 OK\r\nConnection: x, Close\r\nTransfer-Encoding: chunked", "4\r\nfour\r\n0\r\n\r\n"),
            ] {
                let answer = fixture.get()
                let peer = try fixture.acceptRequest()
                try fixture.answer("\(head)\r\n\r\n\(body)", from: peer)
                if body == "until the end" { peer.finish() }
                try fixture.finish(answer)
                #expect(answer.bodyCompleted && (answer.text == "four" || answer.text == body))
                let end = try fixture.expectEnd(at: peer)
                #expect(end == .end)
                peer.close()
                try fixture.expectNoConnections()
            }
            // HTTP/1.0 with keep-alive persists.
            let first = fixture.get()
            let peer = try fixture.acceptRequest()
            try fixture.answer("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", from: peer)
            try fixture.finish(first)
            let second = fixture.get()
            try fixture.receive(at: peer)
            try fixture.answer(ClientFixture.ok, from: peer)
            try fixture.finish(second)
        }

        @Test("A request with Connection: close closes the connection", arguments: LoopKind.all)
        func requestClose(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let answer = fixture.get(fields: [.connection: "close"])
            let peer = try fixture.accept()
            let text = try fixture.receive(at: peer)
            #expect(text.contains("\r\nConnection: close\r\n"))
            try fixture.answer(ClientFixture.ok, from: peer)
            try fixture.finish(answer)
            let end = try fixture.expectEnd(at: peer)
            #expect(end == .end && answer.text == "hello")
        }

        @Test("A host name is resolved, and a refused connection is a typed error", arguments: LoopKind.all)
        func connecting(_ kind: LoopKind) throws {
            let pool = WorkerPool(name: "names", maximumThreads: 1)
            let raw = RawServer()
            defer { raw.close() }
            let port = Int(raw.address.port)
            let fixture = try ClientFixture(kind) { configuration in
                // The first address refuses, so the second one is used (RFC 8305).
                configuration.resolver = Resolver(pool: pool) { (host, _) throws(SocketError) in
                    if host != "two.example" { throw SocketError(.unknownHost, "no \(host)") }
                    return [RawSocket.closedAddress, raw.address]
                }
            }
            let answer = fixture.send(.get("http://TWO.example:\(port)/"))
            var peer: RawPeer?
            try fixture.loop.turns {
                peer = raw.accept()
                return peer != nil
            }
            let server = try #require(peer)
            let text = try fixture.receive(at: server)
            #expect(text.contains("\r\nHost: TWO.example:\(port)\r\n"))
            try fixture.answer(ClientFixture.ok, from: server)
            try fixture.finish(answer)
            #expect(answer.text == "hello")
            let unknown = fixture.send(.get("http://one.example/"))
            try fixture.finish(unknown)
            #expect(
                unknown.error?.code == .connection && unknown.error?.cause as? SocketError == .init(.unknownHost, "")
            )
            let refused = fixture.send(.get("http://\(RawSocket.closedAddress)/"))
            try fixture.finish(refused)
            #expect(refused.error?.code == .connection && refused.error?.cause as? SocketError == .init(.refused, ""))
            #expect(refused.error?.status == .badGateway)
        }

        @Test("The client as a command", arguments: LoopKind.all)
        func command(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let (_, url) = try fixture.serve(.function { _ in .ok("x") })
            let command = fixture.client.command(.serial)
            let (first, second) = (Box<Int?>(nil), Box<String?>(nil))
            command.apply(.get(url)).subscribe(onValue: { first.value = $0.head.status.code }, onTermination: { _ in })
            command.apply(.get(url)).subscribe(
                onValue: { _ in },
                onTermination: { second.value = "\($0)" }
            )
            try fixture.loop.turns { first.value == 200 && second.value != nil }
            #expect(second.value?.contains("rejected") == true)
        }

        @Test("An asynchronous caller", arguments: LoopKind.all)
        func asynchronous(_ kind: LoopKind) async throws {
            let loop = try kind.make(thread: .owned)
            defer { loop.dispose() }
            let loops = LoopGroup(loop)
            let server = try HTTPServer(on: .loopback(port: 0), loops: loops) { _ in .ok("hello") }
            let client = HTTPClient(loops: loops)
            let response = try #require(try await client.send(.get("http://\(server.localAddress)/")).first())
            let body = try await response.body.bytes().first()
            #expect(body == "hello")
        }
    }
#endif
