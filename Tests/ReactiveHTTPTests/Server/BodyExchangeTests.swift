// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP

    /// The bodies of requests, on each loop.
    @Suite struct RequestBodyTests {
        private static let echo: @Sendable (HTTPRequestMessage) -> HTTPResponseMessage = { request in .ok(request.body)
        }

        @Test("Bodies of both framings arrive in any split", arguments: LoopKind.all)
        func framings(_ kind: LoopKind) throws {
            let trailers = Box<HTTPFields?>(nil)
            let fixture = try HTTPFixture(kind) { request in
                request.body.bytes().map { bytes in
                    trailers.value = request.body.trailers
                    return .ok(Bytes("\(request.body.length ?? -1) \(bytes)"))
                }
            }
            let requests = [
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;a=b\r\nllo\r\n0\r\nX-T: v\r\n\r\n",
            ]
            let client = try fixture.connect()
            for (request, length) in zip(requests, [5, -1]) {
                let whole = try fixture.exchange(request, on: client)
                #expect(whole.text == "\(length) hello")
                for byte in request.utf8 {
                    try fixture.send([byte], from: client)
                    try fixture.loop.turns(2)
                }
                let bytewise = try fixture.responses(1, at: client)
                #expect(bytewise[0].text == "\(length) hello")
            }
            #expect(trailers.value?[HTTPField.Name("x-t")!] == "v")
        }

        @Test("A body can be the body of the response", arguments: LoopKind.all)
        func echo(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind, respond: Self.echo)
            let client = try fixture.connect()
            let payload = SplitMix64.bytes(3_000_000)
            let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(payload.count)\r\n\r\n"
            for _ in 0..<2 {
                var reader = RawResponses()
                let bytes = Array(head.utf8) + payload
                var sent = 0
                try fixture.loop.turns {
                    sent += client.send(bytes[sent...].prefix(100_000))
                    if case .bytes(let bytes) = client.receive() { reader.feed(bytes) }
                    return !reader.complete.isEmpty
                }
                let isSame = reader.complete[0].body == payload
                #expect(isSame && reader.complete[0].fields["content-length"] == "\(payload.count)")
            }
        }

        @Test("100 is sent when the service reads the body, and only then", arguments: LoopKind.all)
        func expectation(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { request in
                request.head.path == "/refuse"
                    ? .just(.response(.forbidden)) : request.body.bytes(limit: 5).map { .ok($0) }
            }
            func head(_ path: String, _ length: Int) -> String {
                "POST \(path) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: \(length)\r\n\r\n"
            }
            let client = try fixture.connect()
            let interim = try fixture.exchange(head("/", 5), on: client)
            #expect(interim.status == 100)
            let final = try fixture.exchange("hello", on: client)
            #expect(final.status == 200 && final.text == "hello")
            // A peer that does not wait needs no interim response.
            let eager = try fixture.exchange(head("/", 5) + "hello", on: client)
            #expect(eager.status == 200 && eager.text == "hello")
            // The service does not read, and the peer may or may not send: the connection cannot persist.
            for (path, length, status) in [("/refuse", 5, 403), ("/", 6, 413)] {
                let client = try fixture.connect()
                try fixture.send(head(path, length), from: client)
                let (text, end) = try fixture.receiveToEnd(at: client)
                #expect(text.hasPrefix("HTTP/1.1 \(status) ") && text.contains("onnection: close") && end == .end)
            }
        }

        @Test("Another expectation is answered with 417", arguments: LoopKind.all)
        func unknownExpectation(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { _ in .ok("x") }
            let client = try fixture.connect()
            try fixture.send("GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n", from: client)
            let (text, end) = try fixture.receiveToEnd(at: client)
            #expect(text.hasPrefix("HTTP/1.1 417 ") && end == .end)
            #expect(fixture.failures.values.map(\.error.code) == [.expectationFailed])
        }

        @Test(
            "A short body that nothing reads is discarded, and a long one ends the connection",
            arguments: LoopKind.all
        )
        func unread(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { _ in .ok("x") }
            let client = try fixture.connect()
            // Each body is discarded, although all together exceed the limit.
            for _ in 0..<3 {
                let response = try fixture.exchange(
                    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n"
                        + String(repeating: "-", count: 200_000),
                    on: client
                )
                #expect(response.status == 200 && response.fields["connection"] == nil)
            }
            try fixture.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n", from: client)
            // The close lingers, so the response arrives although the peer goes on sending.
            let block = [UInt8](repeating: 45, count: 100_000)
            var (answer, hasEnded) = ([UInt8](), false)
            try fixture.loop.turns {
                client.send(block)
                switch client.receive() {
                case .bytes(let bytes): answer += bytes
                case .end, .failed: hasEnded = true
                case .nothing: break
                }
                return hasEnded
            }
            let text = String(decoding: answer, as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 200 ") && text.contains("onnection: close"))
        }

        @Test("A body of unknown length that nothing reads ends the connection at the limit", arguments: LoopKind.all)
        func unreadChunks(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { _ in .ok("x") }
            let client = try fixture.connect()
            let chunk = "1000\r\n" + String(repeating: "-", count: 4096) + "\r\n"
            let response = try fixture.exchange(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk,
                on: client
            )
            #expect(response.status == 200)
            var (sent, hasEnded) = (0, false)
            try fixture.loop.turns {
                sent += client.send(Array(chunk.utf8))
                if case .end = client.receive() { hasEnded = true }
                return hasEnded
            }
            #expect(sent > ServerConnection.discardLimit)
        }

        @Test("A second subscriber is refused, and a later one too", arguments: LoopKind.all)
        func subscribers(_ kind: LoopKind) throws {
            let errors = Recorder<HTTPError.Code>()
            let request = Box<HTTPRequestMessage?>(nil)
            @Sendable func note(_ termination: Termination<HTTPError>) {
                if case .failed(let error) = termination { errors.append(error.code) }
            }
            let fixture = try HTTPFixture(kind) { message in
                request.value = message
                let response = message.body.bytes().map { HTTPResponseMessage.ok($0) }
                return Signal<HTTPResponseMessage, HTTPError> { emitter, subscription in
                    response.subscribe(emitter, in: subscription)
                    message.body.signal.subscribe(onValue: { _ in }, onTermination: note)
                }
            }
            let client = try fixture.connect()
            let response = try fixture.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", on: client)
            #expect(response.text == "x" && errors.values == [.alreadyReceiving])
            request.value?.body.signal.subscribe(onValue: { _ in }, onTermination: note)
            try fixture.loop.turns { errors.count == 2 }
            #expect(errors.values == [.alreadyReceiving, .alreadyReceiving])
        }

        @Test("A body that is read after the response fails with closed", arguments: LoopKind.all)
        func late(_ kind: LoopKind) throws {
            let (request, code) = (Box<HTTPRequestMessage?>(nil), Box<HTTPError.Code?>(nil))
            let fixture = try HTTPFixture(kind) { message in
                request.value = message
                return .ok("x")
            }
            let client = try fixture.connect()
            _ = try fixture.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\ny", on: client)
            request.value?.body.signal.subscribe(
                onValue: { _ in },
                onTermination: { if case .failed(let error) = $0 { code.value = error.code } }
            )
            try fixture.loop.turns { code.value != nil }
            #expect(code.value == .closed)
        }

        @Test("A body whose peer leaves fails, and the service is disposed", arguments: LoopKind.all, [true, false])
        func lost(_ kind: LoopKind, _ resets: Bool) throws {
            let (code, isDisposed) = (Box<HTTPError.Code?>(nil), Box(false))
            let fixture = try HTTPFixture(kind) { request in
                Signal<HTTPResponseMessage, HTTPError> { _, subscription in
                    request.body.signal.subscribe(
                        onValue: { _ in },
                        onTermination: { if case .failed(let error) = $0 { code.value = error.code } }
                    )
                    subscription.onDispose { isDisposed.value = true }
                }
            }
            let client = try fixture.connect()
            try fixture.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nx", from: client)
            try fixture.loop.turns { fixture.server.totals.accepted == 1 }
            if resets { client.reset() } else { client.finish() }
            try fixture.loop.turns { code.value != nil }
            #expect(code.value == (resets ? .connection : .incomplete))
            if resets { try fixture.loop.turns { isDisposed.value } }
        }

        @Test("An invalid chunk fails the body, and a service that passes it on answers 400", arguments: LoopKind.all)
        func invalidChunk(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind) { request in request.body.bytes().map { .ok($0) } }
            let client = try fixture.connect()
            try fixture.send(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n-1\r\n",
                from: client
            )
            let (text, end) = try fixture.receiveToEnd(at: client)
            #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("onnection: close") && end == .end)
        }
    }

    extension SplitMix64 {
        static func bytes(_ count: Int) -> [UInt8] {
            var random = SplitMix64(seed: 1)
            return random.noise(count)
        }
    }
#endif
