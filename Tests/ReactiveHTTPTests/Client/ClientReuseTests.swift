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

    /// What happens to the requests that wait when a connection cannot be used again, on each loop.
    @Suite struct ClientReuseTests {
        /// Completes one request. Its connection is idle then.
        private func warmUp(_ fixture: ClientFixture) throws -> RawPeer {
            let first = fixture.get()
            let peer = try fixture.acceptRequest()
            try fixture.answer(ClientFixture.ok, from: peer)
            try fixture.finish(first)
            return peer
        }

        /// Runs `body` in a job in which the server closes its connection first. So the loop has not noticed it.
        private func afterClose(
            of peer: RawPeer,
            _ fixture: ClientFixture,
            _ body: @escaping @Sendable () -> Void
        ) throws {
            let isDone = Box(false)
            fixture.loop.execute {
                // On the loopback interface, the end has arrived when this returns. A close alone could come late,
                // because a child of another test may have a copy of the descriptor for a moment.
                peer.finish()
                peer.close()
                body()
                isDone.value = true
            }
            try fixture.loop.turns { isDone.value }
        }

        @Test("The limit counts requests that follow the end of the only connection", arguments: LoopKind.all)
        func limitAfterClose(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind) { $0.connectionsPerOrigin = 1 }
            let peer = try warmUp(fixture)
            let (client, url) = (fixture.client, fixture.raw.url)
            let (second, third) = (Box<Answer?>(nil), Box<Answer?>(nil))
            try afterClose(of: peer, fixture) {
                second.value = Answer(client.send(.post(url + "/second", body: HTTPBody("x"))))
                third.value = Answer(client.send(.get(url + "/third")))
            }
            let next = try fixture.accept()
            let head = try fixture.receive(at: next, until: "x")
            #expect(head.hasPrefix("POST /second "))
            try fixture.loop.turns(50)
            #expect(fixture.raw.accept() == nil && client.connectionCount == 1)
            try fixture.answer(ClientFixture.ok, from: next)
            let last = try fixture.receive(at: next)
            #expect(last.hasPrefix("GET /third "))
            try fixture.answer(ClientFixture.ok, from: next)
            try fixture.finish(try #require(third.value))
            #expect(second.value?.text == "hello" && third.value?.text == "hello")
        }

        @Test("A request that is cancelled after the end of the only connection is not sent", arguments: LoopKind.all)
        func cancelAfterClose(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind) { $0.connectionsPerOrigin = 1 }
            let peer = try warmUp(fixture)
            let (client, url) = (fixture.client, fixture.raw.url)
            let (second, third) = (Box<Answer?>(nil), Box<Answer?>(nil))
            try afterClose(of: peer, fixture) {
                let answer = Answer(client.send(.post(url + "/second", body: HTTPBody("x"))))
                second.value = answer
                third.value = Answer(client.send(.get(url + "/third")))
                answer.subscription.dispose()
            }
            let next = try fixture.accept()
            let head = try fixture.receive(at: next)
            #expect(head.hasPrefix("GET /third "))
            try fixture.answer(ClientFixture.ok, from: next)
            try fixture.finish(try #require(third.value))
            try fixture.loop.turns(50)
            #expect(fixture.raw.accept() == nil && second.value?.terminationCount == 0)
            // The drain finds the connection, which is idle.
            let hasStopped = Box(false)
            client.drain(within: .seconds(3600)).subscribe(onTermination: { _ in hasStopped.value = true })
            let end = try fixture.expectEnd(at: next)
            #expect(end == .end)
            next.close()
            try fixture.loop.turns { hasStopped.value }
        }

        @Test("A waiting request does not use a connection that the server has closed", arguments: LoopKind.all)
        func waitingAfterClose(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind) { $0.connectionsPerOrigin = 1 }
            let first = fixture.get("/first")
            let second = fixture.send(.post(fixture.raw.url + "/second", body: HTTPBody("x")))
            let peer = try fixture.acceptRequest()
            peer.send(Array(ClientFixture.ok.utf8))
            peer.finish()
            peer.close()
            try fixture.finish(first)
            #expect(first.text == "hello")
            let next = try fixture.accept()
            try fixture.receive(at: next, until: "x")
            try fixture.answer(ClientFixture.ok, from: next)
            try fixture.finish(second)
            #expect(second.text == "hello")
        }

        @Test("A waiting request does not receive bytes that follow another response", arguments: LoopKind.all)
        func waitingAfterExcess(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind) { $0.connectionsPerOrigin = 1 }
            let (first, second) = (fixture.get("/first"), fixture.get("/second"))
            let peer = try fixture.acceptRequest()
            // The response fills the read of a connection exactly. The excess stays in the kernel.
            let head = "HTTP/1.1 200 OK\r\nContent-Length: "
            let count = 65536 - head.utf8.count - 5 - 4
            var bytes = Array("\(head)\(count)\r\n\r\n".utf8) + [UInt8](repeating: 65, count: count)
            #expect(bytes.count == 65536)
            bytes += Array("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison".utf8)
            let sent = peer.send(bytes)
            #expect(sent == bytes.count)
            try fixture.finish(first)
            #expect(first.body.count == count)
            let next = try fixture.accept()
            let request = try fixture.receive(at: next)
            #expect(request.hasPrefix("GET /second "))
            try fixture.answer(ClientFixture.ok, from: next)
            try fixture.finish(second)
            #expect(second.text == "hello")
        }

        @Test("A body whose connection fails while its source starts is not sent again", arguments: LoopKind.all)
        func failureInStart(_ kind: LoopKind) throws {
            let (sends, starts) = (Box(0), Box(0))
            let fixture = try ClientFixture(kind) { configuration in
                configuration.security = { _ in
                    {
                        Unchanged { bytes throws(SocketError) in
                            if bytes == "x", sends.increment() == 1 { throw SocketError(.malformed, "the first body") }
                        }
                    }
                }
            }
            let url = try fixture.serve(.function { _ in .ok("x") }).url.replacing("http:", with: "https:")
            try fixture.finish(fixture.send(.get(url)))
            let source = Signal<Bytes, Never> { emitter, _ in
                starts.increment()
                emitter.send("x")
                emitter.complete()
            }
            let answer = fixture.send(.put(url, body: HTTPBody(source, length: 1)))
            try fixture.finish(answer)
            #expect(answer.error?.code == .connection && starts.value == 1)
        }

        @Test("Attempts that fail immediately do not use the stack", arguments: LoopKind.all)
        func immediateFailures(_ kind: LoopKind) throws {
            // An address that no interface has: the system refuses it before it connects.
            let foreign = try SocketAddress(host: "192.0.2.1", port: 0)
            let fixture = try ClientFixture(kind) { $0.connecting.localAddress = foreign }
            let (client, url) = (fixture.client, fixture.raw.url)
            let (count, depth, maximum) = (Box(0), Box(0), Box(0))
            @Sendable func next() {
                client.send(.get(url)).subscribe(
                    onValue: { _ in },
                    onTermination: { _ in
                        depth.value += 1
                        maximum.value = max(maximum.value, depth.value)
                        if count.increment() < 100 { next() }
                        depth.value -= 1
                    }
                )
            }
            next()
            try fixture.loop.turns { count.value == 100 }
            #expect(maximum.value == 1)
        }
    }
#endif
