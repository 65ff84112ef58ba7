// SPDX-License-Identifier: MIT
#if HTTP
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

    /// Requests and responses over sockets, on each loop.
    @Suite struct ExchangeTests {
        static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

        @Test("Requests on one connection are answered one after the other", arguments: LoopKind.all)
        func keepAlive(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { request in .ok("you asked for \(request.head.path ?? "nothing")\n") }
            let client = try fixture.connect()
            for path in ["/a", "/b?c=d"] {
                let response = try fixture.exchange("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n", on: client)
                #expect(response.status == 200 && response.text == "you asked for \(path)\n")
                #expect(response.version == "HTTP/1.1" && response.fields["connection"] == nil)
                #expect(response.fields["content-length"] == "\(response.body.count)" && response.fields["date"] != nil)
            }
            #expect(fixture.server.totals.accepted == 1)
        }

        @Test("The service sees the request and its peer", arguments: LoopKind.all)
        func request(_ kind: LoopKind) throws {
            let seen = Box<HTTPRequestMessage?>(nil)
            let fixture = try HTTPFixture(kind) { request in
                seen.value = request
                return .ok("")
            }
            let client = try fixture.connect()
            _ = try fixture.exchange("DELETE /x HTTP/1.1\r\nHost: example.org:80\r\nX-A: b\r\n\r\n", on: client)
            let request = try #require(seen.value)
            #expect(request.head.method == .delete && request.head.path == "/x" && request.head.scheme == "http")
            #expect(request.head.authority == "example.org:80")
            #expect(request.head.headerFields[HTTPField.Name("x-a")!] == "b")
            #expect(request.peer?.localAddress == fixture.server.localAddress && request.peer?.address != nil)
            #expect(request.body.length == 0)
        }

        @Test("The response to HEAD has the length and no body", arguments: LoopKind.all)
        func head(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { _ in .ok("hello") }
            let client = try fixture.connect()
            try fixture.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + Self.get, from: client)
            let responses = try fixture.responses(2, at: client, toHead: [0])
            #expect(responses.map { $0.fields["content-length"] } == ["5", "5"])
            #expect(responses.map(\.text) == ["", "hello"])
        }

        @Test("204, 304 and HEAD do not subscribe to the source of a body", arguments: LoopKind.all)
        func bodiless(_ kind: LoopKind) throws {
            let starts = Box(0)
            let fixture = try HTTPFixture(kind) { request in
                let source = Signal<Bytes, Never> { emitter, _ in
                    starts.update { $0 += 1 }
                    emitter.send("x")
                    emitter.complete()
                }
                let status = HTTPResponse.Status(code: Int(request.head.path?.dropFirst() ?? "") ?? 200)
                return .response(status, HTTPBody(source))
            }
            let client = try fixture.connect()
            try fixture.send(
                "GET /204 HTTP/1.1\r\nHost: a\r\n\r\nGET /304 HTTP/1.1\r\nHost: a\r\n\r\n"
                    + "HEAD /200 HTTP/1.1\r\nHost: a\r\n\r\nGET /200 HTTP/1.1\r\nHost: a\r\n\r\n",
                from: client
            )
            let responses = try fixture.responses(4, at: client, toHead: [2])
            #expect(responses.map(\.status) == [204, 304, 200, 200])
            #expect(responses.map(\.text) == ["", "", "", "x"] && starts.value == 1)
            #expect(responses[0].fields["content-length"] == nil && responses[0].fields["transfer-encoding"] == nil)
        }

        @Test("A source of unknown length is sent in chunks, with trailers", arguments: LoopKind.all)
        func chunked(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { _ in
                .ok(
                    HTTPBody(
                        Signal<Bytes, Never>(values: ["one", "", "two"]),
                        trailers: { [HTTPField.Name("x-sum")!: "6"] }
                    )
                )
            }
            let client = try fixture.connect()
            for _ in 0..<2 {
                let response = try fixture.exchange(Self.get, on: client)
                #expect(response.fields["transfer-encoding"] == "chunked" && response.fields["content-length"] == nil)
                #expect(response.text == "onetwo" && response.trailers == ["x-sum": "6"])
            }
        }

        @Test("A source of known length is sent as it is", arguments: LoopKind.all)
        func fixed(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { _ in
                .ok(HTTPBody(Signal<Bytes, Never>(values: ["one", "two"]), length: 6))
            }
            let client = try fixture.connect()
            for _ in 0..<2 {
                let response = try fixture.exchange(Self.get, on: client)
                #expect(response.fields["content-length"] == "6" && response.fields["transfer-encoding"] == nil)
                #expect(response.text == "onetwo")
            }
        }

        @Test(
            "A peer of HTTP/1.0 receives no chunks, and keeps the connection only if it asks",
            arguments: LoopKind.all
        )
        func oldPeer(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { request in
                request.head.path == "/stream" ? .ok(HTTPBody(Signal<Bytes, Never>(values: ["one", "two"]))) : .ok("x")
            }
            let first = try fixture.connect()
            let kept = try fixture.exchange("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", on: first)
            #expect(kept.text == "x" && kept.fields["connection"]?.lowercased() == "keep-alive")
            try fixture.send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", from: first)
            let (text, end) = try fixture.receiveToEnd(at: first)
            #expect(text.hasSuffix("\r\n\r\nonetwo") && end == .end)
            #expect(!text.lowercased().contains("transfer-encoding") && !text.lowercased().contains("keep-alive"))
            let second = try fixture.connect()
            try fixture.send("GET / HTTP/1.0\r\n\r\n", from: second)
            let (closed, _) = try fixture.receiveToEnd(at: second)
            #expect(closed.hasSuffix("\r\n\r\nx"))
        }

        @Test("Connection: close of either side ends the connection after the response", arguments: LoopKind.all)
        func closing(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { request in
                var response = HTTPResponseMessage.ok("x")
                if request.head.path == "/close" { response.head.headerFields[.connection] = "close" }
                return response
            }
            for head in ["GET / HTTP/1.1\r\nHost: a\r\nConnection: close", "GET /close HTTP/1.1\r\nHost: a"] {
                let client = try fixture.connect()
                try fixture.send(head + "\r\n\r\n" + Self.get, from: client)
                let (text, end) = try fixture.receiveToEnd(at: client)
                #expect(
                    text.lowercased().contains("connection: close\r\n") && text.hasSuffix("\r\n\r\nx") && end == .end
                )
                #expect(text.components(of: "HTTP/1.1 200") == 1)
            }
        }

        @Test(
            "A reset of the client, or a stop of the server, disposes the subscription to the service",
            arguments: LoopKind.all,
            [true, false]
        )
        func disposedService(_ kind: LoopKind, _ isReset: Bool) throws {
            let (began, isDisposed) = (Box(false), Box(false))
            let fixture = try HTTPFixture(kind) { request in
                Signal<HTTPResponseMessage, Never> { emitter, subscription in
                    if request.head.path == "/other" { return emitter.send(.ok("x")) }
                    began.value = true
                    subscription.onDispose { isDisposed.value = true }
                }
            }
            let (client, other) = (try fixture.connect(), try fixture.connect())
            try fixture.send(Self.get, from: client)
            try fixture.loop.turns { began.value }
            if isReset {
                client.reset()
                // The server notices the reset no later than the requests that follow it.
                for _ in 0..<100 where !isDisposed.value {
                    _ = try fixture.exchange("GET /other HTTP/1.1\r\nHost: a\r\n\r\n", on: other)
                }
            } else {
                fixture.server.stop()
                try fixture.loop.turns(20)
            }
            #expect(isDisposed.value)
        }

        @Test("The number of requests on a connection is limited", arguments: LoopKind.all)
        func requestLimit(_ kind: LoopKind) throws {
            var limits = HTTPLimits()
            limits.requestsPerConnection = 2
            let fixture = try HTTPFixture(kind, limits: limits) { _ in .ok("x") }
            let client = try fixture.connect()
            try fixture.send(Self.get + Self.get + Self.get, from: client)
            let (text, end) = try fixture.receiveToEnd(at: client)
            #expect(text.components(of: "HTTP/1.1 200") == 2 && end == .end)
            #expect(text.lowercased().components(of: "connection: close") == 1)
        }

        @Test("Responses of a signal keep the order of the requests", arguments: LoopKind.all)
        func order(_ kind: LoopKind) throws {
            let slots = Recorder<Subject<HTTPResponseMessage, Never>>()
            let fixture = try HTTPFixture(kind) { _ in
                let subject = Subject<HTTPResponseMessage, Never>()
                slots.append(subject)
                return subject.signal
            }
            let client = try fixture.connect()
            try fixture.send(String(repeating: Self.get, count: 3), from: client)
            for number in 0..<3 {
                try fixture.loop.turns { slots.count > number }
                try fixture.expectSilence(at: client)
                // Requests are handed over one at a time.
                #expect(slots.count == number + 1)
                slots.values[number].send(.ok("\(number)"))
                // Only the first response counts.
                slots.values[number].send(.ok("again"))
                let response = try fixture.responses(1, at: client)[0]
                #expect(response.text == "\(number)")
            }
        }

        @Test("A service may answer on any thread", arguments: LoopKind.all)
        func threads(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { request in
                Signal<HTTPResponseMessage, Never> { emitter, _ in
                    _ = TestThread {
                        let body = Signal<Bytes, Never> { emitter, _ in
                            _ = TestThread {
                                for _ in 0..<100 { emitter.send("0123456789") }
                                emitter.complete()
                            }
                        }
                        emitter.send(.ok(HTTPBody(body)))
                        emitter.complete()
                    }
                }
            }
            let client = try fixture.connect()
            for _ in 0..<10 {
                let response = try fixture.exchange(Self.get, on: client)
                #expect(response.body.count == 1000)
            }
        }

        @Test("A task answers, and its errors become statuses", arguments: LoopKind.all)
        func task(_ kind: LoopKind) async throws {
            struct Broken: Error {}
            let loop = try kind.make(thread: .owned)
            defer { loop.dispose() }
            // Tests that block the threads of tasks may delay this test for minutes.
            var limits = HTTPLimits()
            limits.idleTime = .seconds(3600)
            let server = try HTTPServer(
                on: .loopback(port: 0),
                loops: LoopGroup(loop),
                limits: limits,
                service: .task { request in
                    if request.head.path == "/broken" { throw Broken() }
                    let bytes = try await request.body.bytes(limit: 5).first()
                    return .ok(bytes ?? "nothing")
                }
            )
            server.failures.subscribe(onValue: { _ in })
            let statuses = [("/", "hello", 200, "hello"), ("/", "too long", 413, nil), ("/broken", "", 500, nil)]
            for (path, body, status, answer) in statuses as [(String, String, Int, String?)] {
                let connection = try #require(try await Connection.connect(to: server.localAddress, loop: loop).first())
                let head =
                    "POST \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                connection.send(Bytes(head + body))
                var text = ""
                for try await chunk in connection.received.values { text += String(chunk) }
                #expect(text.hasPrefix("HTTP/1.1 \(status) "), "\(text)")
                #expect(text.hasSuffix(answer ?? "\n"), "\(text)")
            }
        }

        @Test("A command executes requests, and rejections become 503", arguments: LoopKind.all)
        func command(_ kind: LoopKind) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let subject = Subject<HTTPResponseMessage, HTTPError>()
            let command = Command<HTTPRequestMessage, HTTPResponseMessage, HTTPError> { _ in
                subject.signal.take(1)
            }
            let server = try HTTPServer(on: .loopback(port: 0), loops: LoopGroup(loop), service: .command(command))
            let (first, second) = (try RawPeer(to: server.localAddress), try RawPeer(to: server.localAddress))
            first.send(Array(Self.get.utf8))
            try loop.turns { command.isExecuting.value }
            second.send(Array(Self.get.utf8))
            var answer: [UInt8] = []
            try loop.turns {
                if case .bytes(let bytes) = second.receive() { answer += bytes }
                return !answer.isEmpty
            }
            #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 503 "))
            #expect(String(decoding: answer, as: UTF8.self).lowercased().contains("\r\nretry-after: 1\r\n"))
            subject.send(.ok("done"))
            answer = []
            try loop.turns {
                if case .bytes(let bytes) = first.receive() { answer += bytes }
                return !answer.isEmpty
            }
            #expect(String(decoding: answer, as: UTF8.self).hasSuffix("done"))
        }
    }

    extension String {
        /// The number of occurrences of a text.
        func components(of text: String) -> Int { split(separator: text, omittingEmptySubsequences: false).count - 1 }
    }
#endif
