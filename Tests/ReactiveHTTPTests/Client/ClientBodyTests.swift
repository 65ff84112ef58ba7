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

    /// Bodies in both directions, on each loop.
    @Suite struct ClientBodyTests {
        /// A generous bound for the buffers of the kernel and of a connection.
        private static let bound = 32_000_000

        /// A body that records the end of its subscription.
        private func observed(_ source: Subject<Bytes, HTTPError>, _ isDisposed: Box<Bool>) -> HTTPBody {
            HTTPBody(
                Signal<Bytes, HTTPError> { emitter, subscription in
                    subscription.onDispose { isDisposed.value = true }
                    source.signal.subscribe(emitter, in: subscription)
                }
            )
        }

        @Test("A body of unknown length is sent in chunks with trailers", arguments: LoopKind.all)
        func chunked(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let source = Subject<Bytes, HTTPError>()
            let body = HTTPBody(source) { [.eTag: "end"] }
            let answer = fixture.send(.post(fixture.raw.url, body: body))
            let peer = try fixture.accept()
            let head = try fixture.receive(at: peer)
            #expect(head.contains("Transfer-Encoding: chunked"))
            source.send("abc")
            let chunk = try fixture.receive(at: peer, until: "abc\r\n")
            #expect(chunk == "3\r\nabc\r\n")
            source.complete()
            let end = try fixture.receive(at: peer)
            #expect(end == "0\r\nETag: end\r\n\r\n")
            try fixture.answer(ClientFixture.ok, from: peer)
            try fixture.finish(answer)
            #expect(answer.text == "hello" && fixture.client.connectionCount == 1)
        }

        @Test("A body of a declared length, and one that breaks its promise", arguments: LoopKind.all, [4, 6])
        func declared(_ kind: LoopKind, _ length: Int) throws {
            let fixture = try ClientFixture(kind)
            let (_, url) = try fixture.serve(.signal { request in request.body.bytes().map { .ok($0) } })
            let source = Signal<Bytes, Never>(values: ["12", "345"] as [Bytes])
            let good = fixture.send(.put(url, body: HTTPBody(source, length: 5)))
            try fixture.finish(good)
            #expect(good.text == "12345")
            let bad = fixture.send(.put(url, body: HTTPBody(source, length: length)))
            try fixture.finish(bad)
            #expect(bad.error?.code == .lengthMismatch && bad.terminationCount == 1)
        }

        @Test("A source that fails resets the connection", arguments: LoopKind.all)
        func failingSource(_ kind: LoopKind) throws {
            struct Broken: Error {}
            let fixture = try ClientFixture(kind)
            let source = Subject<Bytes, Broken>()
            let answer = fixture.send(.post(fixture.raw.url, body: HTTPBody(source)))
            let peer = try fixture.acceptRequest()
            source.fail(Broken())
            try fixture.finish(answer)
            #expect(answer.error?.code == .sourceFailed)
            guard case .failed = try fixture.expectEnd(at: peer) else {
                Issue.record("the server does not notice")
                return
            }
        }

        @Test("A large stored body, and an echo of it", arguments: LoopKind.all)
        func echo(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let (_, url) = try fixture.serve(.function { request in .ok(request.body) })
            let payload = SplitMix64.bytes(3_000_000)
            let answer = fixture.send(.post(url, body: HTTPBody(Bytes(payload))))
            try fixture.finish(answer)
            let isSame = answer.body == payload
            #expect(isSame && answer.bodyCompleted)
            // The response began before the request was complete. Both are complete now, so the connection persists.
            #expect(fixture.client.connectionCount == 1)
        }

        @Test("A server that does not read pauses the source of a request", arguments: LoopKind.all)
        func slowServer(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let block = Bytes([UInt8](repeating: 120, count: 50_000))
            let (sent, total) = (Box(0), 100_000_000)
            let isPaused = Box(false)
            let source = Signal<Bytes, Never> { emitter, subscription in
                @Sendable func go() {
                    while !subscription.isPaused, !subscription.isDisposed, sent.value < total {
                        sent.update { $0 += block.count }
                        emitter.send(block)
                    }
                    if sent.value >= total { emitter.complete() }
                }
                subscription.onFlowChange { paused in
                    isPaused.value = paused
                    if !paused { go() }
                }
                go()
            }
            let answer = fixture.send(.put(fixture.raw.url, body: HTTPBody(source, length: total)))
            let peer = try fixture.accept()
            try fixture.loop.turns { isPaused.value }
            try fixture.loop.turns(50)
            #expect(isPaused.value && sent.value < Self.bound, "\(sent.value)")
            var received = 0
            try fixture.loop.turns {
                if case .bytes(let bytes) = peer.receive(200_000) { received += bytes.count }
                return received > total
            }
            try fixture.answer(ClientFixture.ok, from: peer)
            try fixture.finish(answer)
            #expect(answer.text == "hello")
        }

        @Test("A paused subscriber of a response pauses the server", arguments: LoopKind.all)
        func slowSubscriber(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let answer = fixture.get(reads: false)
            let peer = try fixture.acceptRequest()
            let total = 100_000_000
            peer.send(Array("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n".utf8))
            let block = [UInt8](repeating: 45, count: 100_000)
            var (sent, refusals) = (0, 0)
            try fixture.loop.turns {
                let count = peer.send(block.prefix(total - sent))
                sent += count
                refusals = count == 0 ? refusals + 1 : 0
                return refusals == 50
            }
            #expect(sent < Self.bound && answer.status == 200, "\(sent)")
            let (loop, received, isDone) = (fixture.loop, Box(0), Box(false))
            let subscription = SignalSubscription()
            try #require(answer.response).body.signal.subscribe(
                in: subscription,
                onValue: { bytes in
                    received.update { $0 += bytes.count }
                    let pause = subscription.pause()
                    loop.execute { pause.dispose() }
                },
                onTermination: { _ in isDone.value = true }
            )
            try fixture.loop.turns {
                if sent < total { sent += peer.send(block.prefix(total - sent)) }
                return isDone.value
            }
            #expect(received.value == total)
        }

        @Test("A short unread body is dropped, and the connection is used again", arguments: LoopKind.all)
        func unread(_ kind: LoopKind) throws {
            // With a real clock, a pause of the machine would end the time for the rest of the body.
            let fixture = try ClientFixture(kind, clock: ManualClock()) { $0.connectionsPerOrigin = 1 }
            let (server, url) = try fixture.serve(
                .function { _ in .ok(Bytes([UInt8](repeating: 1, count: 200_000))) }
            )
            for _ in 0..<10 {
                let answer = fixture.send(.get(url), reads: false)
                try fixture.loop.turns { answer.hasHead }
                answer.drop()
                try fixture.loop.turns(20)
            }
            // A disposed subscription is the same.
            let answer = fixture.send(.get(url), reads: false)
            try fixture.loop.turns { answer.hasHead }
            answer.read()
            answer.bodySubscription.dispose()
            try fixture.loop.turns(20)
            #expect(server.totals.accepted == 1 && fixture.client.connectionCount == 1)
        }

        @Test("A long unread body closes the connection", arguments: LoopKind.all, [true, false])
        func longUnread(_ kind: LoopKind, _ isDeclared: Bool) throws {
            let fixture = try ClientFixture(kind)
            let answer = fixture.get(reads: false)
            let peer = try fixture.acceptRequest()
            let length = isDeclared ? "Content-Length: 10000000" : "Transfer-Encoding: chunked"
            peer.send(Array("HTTP/1.1 200 OK\r\n\(length)\r\n\r\n5\r\nhello\r\n".utf8))
            try fixture.loop.turns { answer.hasHead }
            answer.drop()
            if isDeclared {
                // The declared length suffices: no other byte has to arrive.
                try fixture.loop.turns(20)
                #expect(fixture.client.connectionCount == 0)
            }
            let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 120, count: 65536) + [13, 10]
            var (sent, offset, hasEnded) = (0, 0, false)
            try fixture.loop.turns {
                let count = peer.send(chunk[offset...])
                (sent, offset) = (sent + count, (offset + count) % chunk.count)
                // The system reports the reset to whichever call comes first.
                switch peer.receive() {
                case .end, .failed: hasEnded = true
                case .bytes, .nothing: break
                }
                return hasEnded
            }
            #expect(sent < Self.bound)
            try fixture.expectNoConnections()
        }

        @Test("An early response of an error ends the upload and the connection", arguments: LoopKind.all)
        func early(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let (source, isDisposed) = (Subject<Bytes, HTTPError>(), Box(false))
            let answer = fixture.send(.post(fixture.raw.url, body: observed(source, isDisposed)))
            let peer = try fixture.acceptRequest()
            source.send("begin")
            try fixture.receive(at: peer, until: "begin\r\n")
            try fixture.answer("HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\n\r\nlar", from: peer)
            try fixture.loop.turns { answer.text == "lar" }
            #expect(isDisposed.value)
            try fixture.answer("ge", from: peer)
            try fixture.finish(answer)
            #expect(answer.status == 413 && answer.text == "large")
            let end = try fixture.expectEnd(at: peer)
            #expect(end == .end)
            peer.close()
            try fixture.expectNoConnections()
        }

        @Test("A complete response of 200 ends the upload and the connection", arguments: LoopKind.all)
        func earlySuccess(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let (source, isDisposed) = (Subject<Bytes, HTTPError>(), Box(false))
            let answer = fixture.send(.post(fixture.raw.url, body: observed(source, isDisposed)))
            let peer = try fixture.acceptRequest()
            try fixture.answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe", from: peer)
            try fixture.loop.turns { answer.text == "he" }
            source.send("more")
            try fixture.receive(at: peer, until: "more\r\n")
            try fixture.answer("llo", from: peer)
            try fixture.finish(answer)
            #expect(answer.text == "hello" && isDisposed.value)
            let end = try fixture.expectEnd(at: peer)
            #expect(end == .end)
        }

        @Test("A body waits for 100 Continue, and is not sent after a refusal", arguments: LoopKind.all)
        func expectation(_ kind: LoopKind) throws {
            // With a real clock, a pause of the machine would end the wait for 100 Continue.
            let fixture = try ClientFixture(kind, clock: ManualClock())
            var request = HTTPRequestMessage.put(fixture.raw.url, body: HTTPBody("content"))
            request.head.headerFields[.expect] = "100-continue"
            let accepted = fixture.send(request)
            let peer = try fixture.accept()
            let head = try fixture.receive(at: peer)
            #expect(head.contains("Expect: 100-continue") && head.contains("Content-Length: 7"))
            try fixture.loop.turns(20)
            #expect(peer.receive() == .nothing)
            try fixture.answer("HTTP/1.1 100 Continue\r\n\r\n", from: peer)
            try fixture.receive(at: peer, until: "content")
            try fixture.answer(ClientFixture.ok, from: peer)
            try fixture.finish(accepted)
            let refused = fixture.send(request)
            try fixture.receive(at: peer)
            try fixture.answer("HTTP/1.1 417 No\r\nContent-Length: 2\r\n\r\nno", from: peer)
            try fixture.finish(refused)
            #expect(refused.status == 417 && refused.text == "no")
            // The server cannot know whether the body follows, so the connection ends.
            let (bytes, end) = try peer.receiveToEnd { isDone in try fixture.loop.turns(until: isDone) }
            #expect(bytes.isEmpty && end == .end)
        }
    }
#endif
