// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveHTTP

    /// The connections that a client keeps, on each loop.
    @Suite struct ClientPoolTests {
        @Test("Requests beyond the limit of connections wait in order, and then fail", arguments: LoopKind.all)
        func limits(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind) { configuration in
                configuration.connectionsPerOrigin = 2
                configuration.waitingRequests = 3
            }
            let answers = (0..<6).map { fixture.get("/\($0)") }
            try fixture.finish(answers[5])
            #expect(answers[5].error?.code == .overloaded)
            let peers = [try fixture.accept(), try fixture.accept()]
            // Whichever connection is established first carries the first request.
            for peer in peers { try fixture.receive(at: peer) }
            try fixture.loop.turns(20)
            #expect(fixture.raw.accept() == nil && fixture.client.connectionCount == 2)
            for number in 2..<5 {
                try fixture.answer(ClientFixture.ok, from: peers[0])
                let head = try fixture.receive(at: peers[0])
                #expect(head.hasPrefix("GET /\(number) "))
            }
            for peer in peers { try fixture.answer(ClientFixture.ok, from: peer) }
            for answer in answers[..<5] {
                try fixture.finish(answer)
                #expect(answer.text == "hello")
            }
        }

        @Test("A stop fails requests in the order in which their connections were opened", arguments: LoopKind.all)
        func stopInOrder(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind) { $0.connectionsPerOrigin = 16 }
            let failed = Recorder<Int>()
            for number in 0..<16 {
                fixture.client.send(.get("\(fixture.raw.url)/\(number)")).subscribe(
                    onValue: { _ in },
                    onTermination: { _ in failed.append(number) }
                )
            }
            // The first connection carries the first request, and so on.
            for _ in 0..<16 { _ = try fixture.acceptRequest() }
            fixture.client.stop()
            try fixture.loop.turns { failed.count == 16 }
            #expect(failed.values == Array(0..<16))
        }

        @Test("Cancelled requests leave the queue and their connections", arguments: LoopKind.all)
        func cancelling(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind) { $0.connectionsPerOrigin = 1 }
            let (running, waiting, last) = (fixture.get("/1"), fixture.get("/2"), fixture.get("/3"))
            let peer = try fixture.acceptRequest()
            waiting.subscription.dispose()
            running.subscription.dispose()
            guard case .failed = try fixture.expectEnd(at: peer) else {
                Issue.record("the connection of a cancelled request is not reset")
                return
            }
            let second = try fixture.accept()
            let head = try fixture.receive(at: second)
            #expect(head.hasPrefix("GET /3 "))
            try fixture.answer(ClientFixture.ok, from: second)
            try fixture.finish(last)
            #expect(!running.hasHead && !waiting.hasHead && waiting.terminationCount == 0)
            // A request that is cancelled while it connects.
            let other = RawServer()
            defer { other.close() }
            let connecting = fixture.send(.get(other.url))
            connecting.subscription.dispose()
            try fixture.loop.turns(10)
            #expect(fixture.client.connectionCount == 1)
        }

        @Test("A connection that the server has closed is not used", arguments: LoopKind.all, [true, false])
        func closedWhileIdle(_ kind: LoopKind, _ loopHasSeenIt: Bool) throws {
            let fixture = try ClientFixture(kind)
            let first = fixture.get()
            let peer = try fixture.acceptRequest()
            try fixture.answer(ClientFixture.ok, from: peer)
            try fixture.finish(first)
            peer.finish()
            peer.close()
            if loopHasSeenIt { try fixture.expectNoConnections() }
            // Even a request that must not be repeated works.
            let second = fixture.send(.post(fixture.raw.url, body: HTTPBody("x")))
            let next = try fixture.accept()
            try fixture.receive(at: next, until: "x")
            try fixture.answer(ClientFixture.ok, from: next)
            try fixture.finish(second)
            #expect(second.text == "hello")
        }

        @Test("An idempotent request is repeated once if a used connection fails", arguments: LoopKind.all)
        func retry(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind)
            for (method, isRepeated) in [
                (HTTPRequest.Method.get, true), (.put, true), (.delete, true), (.post, false), (.patch, false),
            ] {
                let first = fixture.get()
                let peer = try fixture.acceptRequest()
                try fixture.answer(ClientFixture.ok, from: peer)
                try fixture.finish(first)
                let second = fixture.send(.request(method, fixture.raw.url, body: HTTPBody("data")))
                try fixture.receive(at: peer, until: "data")
                peer.reset()
                guard isRepeated else {
                    try fixture.finish(second)
                    #expect(second.error?.code == .connection)
                    continue
                }
                let fresh = try fixture.accept()
                let again = try fixture.receive(at: fresh, until: "data")
                #expect(again.hasPrefix("\(method.rawValue) "))
                // The second failure counts.
                fresh.close()
                try fixture.finish(second)
                #expect(second.error?.code == .incomplete || second.error?.code == .connection)
                #expect(second.terminationCount == 1)
            }
        }

        @Test(
            "A request is not repeated after a byte, or if its body has begun",
            arguments: LoopKind.all,
            [true, false]
        )
        func noRetry(_ kind: LoopKind, _ hasByte: Bool) throws {
            let fixture = try ClientFixture(kind)
            let first = fixture.get()
            let peer = try fixture.acceptRequest()
            try fixture.answer(ClientFixture.ok, from: peer)
            try fixture.finish(first)
            let source = Subject<Bytes, HTTPError>()
            let second = hasByte ? fixture.get() : fixture.send(.put(fixture.raw.url, body: HTTPBody(source)))
            try fixture.receive(at: peer)
            if hasByte { try fixture.answer("H", from: peer) }
            try fixture.loop.turns(5)
            peer.finish()
            peer.close()
            try fixture.finish(second)
            #expect(second.error?.code == .incomplete || second.error?.code == .connection)
            try fixture.loop.turns(10)
            #expect(fixture.raw.accept() == nil)
        }

        @Test("Idle connections are bounded, and the oldest is closed", arguments: LoopKind.all)
        func idleLimit(_ kind: LoopKind) throws {
            let fixture = try ClientFixture(kind) { $0.idleConnections = 2 }
            let servers = try (0..<3).map { _ in try fixture.serve(.function { _ in .ok("x") }) }
            for server in servers { try fixture.finish(fixture.send(.get(server.url))) }
            try fixture.loop.turns { fixture.client.connectionCount == 2 }
            try fixture.loop.turns { servers[0].server.connectionCount.value == 0 }
            for server in servers[1...] { try fixture.finish(fixture.send(.get(server.url))) }
            #expect(servers.map { $0.server.totals.accepted } == [1, 1, 1])
        }

        @Test("Each loop has its own connections, and a job of a loop uses it", arguments: LoopKind.all)
        func loops(_ kind: LoopKind) throws {
            let loops = try LoopGroup(count: 3) { number in try kind.make(name: "\(number)", thread: .owned) }
            defer { loops.dispose() }
            let server = try HTTPServer(on: .loopback(port: 0), loops: loops) { _ in .ok("x") }
            let client = HTTPClient(loops: loops)
            let done = Latch(300)
            let wrong = Box(0)
            for number in 0..<300 {
                let loop = loops.loops[number % 3]
                loop.execute {
                    client.send(.get("http://\(server.localAddress)/")).subscribe(
                        onValue: { _ in if !loop.isCurrent { wrong.increment() } },
                        onTermination: { _ in done.arrive() }
                    )
                }
            }
            try done.wait("300 responses")
            #expect(wrong.value == 0 && client.connectionCount <= 24)
            let foreign = Latch(30)
            for _ in 0..<30 {
                client.send(.get("http://\(server.localAddress)/")).subscribe(
                    onValue: { _ in },
                    onTermination: { _ in foreign.arrive() }
                )
            }
            try foreign.wait("30 responses")
            let stopped = Latch()
            client.stop().subscribe(onTermination: { _ in stopped.arrive() })
            try stopped.wait("the end of the client")
            #expect(client.connectionCount == 0)
        }
    }
#endif
