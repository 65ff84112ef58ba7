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

    /// The end of a request or of the client while a redirect is followed, on each loop.
    @Suite struct RedirectEndingTests {
        private static let moved = "HTTP/1.1 303 See\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n"

        /// A body that never ends. `ended` is called when the client disposes its subscription.
        private func body(_ ended: @escaping @Sendable () -> Void) -> HTTPBody {
            HTTPBody(Signal<Bytes, HTTPError> { _, subscription in subscription.onDispose(ended) })
        }

        /// Runs turns in which the client must not connect.
        private func expectNoConnection(_ fixture: ClientFixture) throws {
            for _ in 0..<50 {
                try fixture.loop.turns(1)
                let hasConnected = fixture.raw.accept() != nil
                #expect(!hasConnected)
            }
        }

        @Test("A stop before the job of the redirect ends the request", arguments: LoopKind.all)
        func stop(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind) { $0.redirects = .follow(limit: 5) }
            let (client, loop) = (fixture.client, fixture.loop)
            // The job of the stop is enqueued before that of the redirect.
            let answer = fixture.send(.post(fixture.raw.url, body: body { loop.execute { client.stop() } }))
            let peer = try fixture.acceptRequest()
            try fixture.answer(Self.moved, from: peer)
            try fixture.finish(answer)
            #expect(answer.error?.code == .closed && answer.terminationCount == 1)
            try expectNoConnection(fixture)
            peer.close()
            try fixture.expectNoConnections()
        }

        @Test("A stop before the job of the request ends it", arguments: LoopKind.all)
        func stopBeforeStart(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            let ledger = ClientLedger([fixture.loop])
            let request = try PreparedRequest(.get(fixture.raw.url))
            let pool = ClientPool(fixture.loop, fixture.client.configuration, ledger, number: 0)
            let parts = UnsafeTransfer((pool: pool, request: request))
            let error = Box<HTTPError?>(nil)
            fixture.loop.execute {
                // Another thread has begun the request, and its job runs after the stop.
                parts.value.pool.stop()
                Signal<HTTPResponseMessage, HTTPError> { emitter, _ in
                    ClientCall(parts.value.request, parts.value.pool, emitter).start(in: parts.value.pool)
                }.subscribe(
                    onValue: { _ in },
                    onTermination: { if case .failed(let failure) = $0 { error.value = failure } }
                )
            }
            try fixture.loop.turns { error.value != nil }
            #expect(error.value?.code == .closed)
            try expectNoConnection(fixture)
        }

        @Test("A request that is cancelled by the end of its source is not redirected", arguments: LoopKind.all)
        func cancelInTeardown(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind) { $0.redirects = .follow(limit: 5) }
            let answer = Box<Answer?>(nil)
            let content = body { answer.value?.subscription.dispose() }
            answer.value = fixture.send(.post(fixture.raw.url, body: content))
            let peer = try fixture.acceptRequest()
            try fixture.answer(Self.moved, from: peer)
            guard case .failed = try fixture.expectEnd(at: peer) else {
                Issue.record("the connection of the cancelled request is not reset")
                return
            }
            try expectNoConnection(fixture)
            #expect(answer.value?.terminationCount == 0)
            peer.close()
            try fixture.expectNoConnections()
        }

        @Test("A redirect is followed after the client has been released", arguments: LoopKind.all, [0, 4])
        func releasedClient(_ kind: LoopKind, _ length: Int) throws {
            let loop = try kind.make()
            defer { loop.dispose() }
            let raw = RawServer()
            defer { raw.close() }
            var configuration = HTTPClientConfiguration()
            configuration.redirects = .follow(limit: 5)
            var client: HTTPClient? = HTTPClient(loops: LoopGroup(loop), configuration: configuration)
            let answer = Answer(try #require(client).send(.get(raw.url)))
            let first = try accept(loop, raw)
            client = nil
            try loop.turns(5)
            let body = "body".prefix(length)
            first.send(Array("HTTP/1.1 302 F\r\nLocation: /x\r\nContent-Length: \(length)\r\n\r\n\(body)".utf8))
            let second = try accept(loop, raw)
            second.send(Array(ClientFixture.ok.utf8))
            try loop.turns { answer.isComplete }
            #expect(answer.text == "hello" && answer.terminationCount == 1)
        }

        private func accept(_ loop: any LoopScheduler, _ raw: RawServer) throws -> RawPeer {
            var peer: RawPeer?
            try loop.turns {
                peer = raw.accept()
                return peer != nil
            }
            return try #require(peer)
        }

        @Test("The limit of the request includes its redirects", arguments: LoopKind.all, [0, 4])
        func requestLimit(_ kind: LoopKind, _ length: Int) throws {
            let clock = ManualClock()
            let fixture = try ClientFixture(kind, clock: clock) { configuration in
                configuration.redirects = .follow(limit: 5)
                configuration.timeouts.request = .seconds(2)
            }
            let answer = fixture.get()
            let peer = try fixture.acceptRequest()
            let body = "body".prefix(length)
            try fixture.answer(
                "HTTP/1.1 302 F\r\nLocation: /x\r\nContent-Length: \(length)\r\n\r\n\(body)",
                from: peer
            )
            try fixture.receive(at: peer)
            try fixture.advance(clock, by: .milliseconds(1_750))
            #expect(!answer.hasHead)
            try fixture.advance(clock, by: .milliseconds(250))
            try fixture.finish(answer)
            #expect(answer.error?.code == .timedOut)
        }
    }
#endif
