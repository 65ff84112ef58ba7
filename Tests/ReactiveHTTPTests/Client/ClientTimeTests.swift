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

    /// The time limits of a client, in virtual time, on each loop.
    @Suite struct ClientTimeTests {
        private func fixture(_ kind: LoopKind, _ clock: ManualClock) throws -> ClientFixture {
            try ClientFixture(kind, clock: clock) { configuration in
                configuration.timeouts.connect = .seconds(5)
                configuration.timeouts.head = .seconds(10)
                configuration.timeouts.idle = .seconds(20)
                configuration.timeouts.request = .seconds(300)
                configuration.timeouts.pooled = .seconds(30)
            }
        }

        @Test("A head of one byte per second fails exactly at its limit", arguments: LoopKind.all)
        func slowHead(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let fixture = try fixture(kind, clock)
            let answer = fixture.get()
            let peer = try fixture.acceptRequest()
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 0".utf8)
            try fixture.advance(clock, by: .milliseconds(9_750)) { step in
                if step % 4 == 0 { peer.send([head[step / 4]]) }
            }
            #expect(!answer.hasHead)
            try fixture.advance(clock, by: .milliseconds(250))
            try fixture.finish(answer)
            #expect(answer.error?.code == .timedOut && answer.error?.status == .gatewayTimeout)
            peer.close()
            try fixture.expectNoConnections()
        }

        @Test("Informational responses do not extend the limit", arguments: LoopKind.all)
        func informational(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let fixture = try fixture(kind, clock)
            let answer = fixture.get()
            let peer = try fixture.acceptRequest()
            try fixture.advance(clock, by: .seconds(10), step: .seconds(1)) { _ in
                peer.send(Array("HTTP/1.1 102 Processing\r\n\r\n".utf8))
            }
            try fixture.finish(answer)
            #expect(answer.error?.code == .timedOut)
        }

        @Test("A body that stops fails, and a slow one does not", arguments: LoopKind.all)
        func slowBody(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let fixture = try fixture(kind, clock)
            let answer = fixture.get()
            let peer = try fixture.acceptRequest()
            try fixture.answer("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n", from: peer)
            try fixture.loop.turns { answer.hasHead }
            try fixture.advance(clock, by: .seconds(100), step: .seconds(10)) { number in
                peer.send([UInt8(48 + number)])
                try fixture.loop.turns { answer.body.count == number + 1 }
            }
            try fixture.advance(clock, by: .milliseconds(19_750))
            #expect(!answer.isComplete)
            try fixture.advance(clock, by: .milliseconds(250))
            try fixture.finish(answer)
            #expect(answer.bodyError?.code == .timedOut && answer.text == "0123456789")
        }

        @Test("The time of a paused subscriber does not count, that of the whole request does", arguments: LoopKind.all)
        func paused(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let fixture = try fixture(kind, clock)
            let answer = fixture.get()
            let peer = try fixture.acceptRequest()
            try fixture.answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", from: peer)
            try fixture.loop.turns { answer.text == "ab" }
            let pause = answer.bodySubscription.pause()
            peer.send(Array("c".utf8))
            try fixture.loop.turns(10)
            try fixture.advance(clock, by: .seconds(200), step: .seconds(1))
            #expect(!answer.isComplete)
            pause.dispose()
            try fixture.loop.turns { answer.text == "abc" }
            let again = answer.bodySubscription.pause()
            peer.send(Array("d".utf8))
            try fixture.loop.turns(10)
            try fixture.advance(clock, by: .seconds(100), step: .seconds(1))
            again.dispose()
            try fixture.finish(answer)
            #expect(answer.bodyError?.code == .timedOut)
        }

        @Test(
            "A paused subscriber gets the whole body of a server that has closed its connection",
            arguments: LoopKind.all,
            ["cde", ""]
        )
        func pausedAfterEnd(_ kind: LoopKind, _ rest: String) throws {
            let clock = ManualClock()
            let fixture = try fixture(kind, clock)
            let answer = fixture.get()
            let peer = try fixture.acceptRequest()
            try fixture.answer("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nab", from: peer)
            try fixture.loop.turns { answer.text == "ab" }
            let pause = answer.bodySubscription.pause()
            peer.send(Array(rest.utf8))
            peer.close()
            try fixture.advance(clock, by: .seconds(200), step: .seconds(1))
            #expect(!answer.isComplete)
            pause.dispose()
            try fixture.finish(answer)
            #expect(answer.text == "ab" + rest && answer.bodyError == nil)
        }

        @Test("The time does not count either if the subscriber pauses between two deliveries", arguments: LoopKind.all)
        func pausedBetween(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let fixture = try fixture(kind, clock)
            let answer = fixture.get()
            let peer = try fixture.acceptRequest()
            try fixture.answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", from: peer)
            try fixture.loop.turns { answer.text == "ab" }
            let pause = answer.bodySubscription.pause()
            // Nothing arrives during the pause.
            try fixture.advance(clock, by: .seconds(60), step: .seconds(1))
            #expect(!answer.isComplete)
            pause.dispose()
            try fixture.loop.turns(3)
            try fixture.advance(clock, by: .seconds(19), step: .seconds(1))
            #expect(!answer.isComplete)
            try fixture.advance(clock, by: .seconds(1))
            try fixture.finish(answer)
            #expect(answer.bodyError?.code == .timedOut)
        }

        @Test("An upload takes any time, and then the limit of the head counts", arguments: LoopKind.all)
        func upload(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let fixture = try fixture(kind, clock)
            let source = Subject<Bytes, HTTPError>()
            let answer = fixture.send(.post(fixture.raw.url, body: HTTPBody(source)))
            let peer = try fixture.acceptRequest()
            try fixture.advance(clock, by: .seconds(100), step: .seconds(1))
            #expect(!answer.hasHead)
            source.complete()
            try fixture.receive(at: peer)
            try fixture.advance(clock, by: .milliseconds(9_750))
            #expect(!answer.hasHead)
            try fixture.advance(clock, by: .milliseconds(250))
            try fixture.finish(answer)
            #expect(answer.error?.code == .timedOut)
        }

        @Test("An idle connection is closed at its limit", arguments: LoopKind.all)
        func pooled(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let fixture = try fixture(kind, clock)
            let answer = fixture.get()
            let peer = try fixture.acceptRequest()
            try fixture.answer(ClientFixture.ok, from: peer)
            try fixture.finish(answer)
            try fixture.advance(clock, by: .milliseconds(29_750))
            #expect(peer.receive() == .nothing)
            try fixture.advance(clock, by: .milliseconds(250))
            let end = try fixture.expectEnd(at: peer)
            #expect(end == .end)
            peer.close()
            try fixture.expectNoConnections()
        }

        @Test("A connection that is not accepted, and a request that waits too long", arguments: LoopKind.all)
        func waiting(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let pool = WorkerPool(name: "names", maximumThreads: 1)
            let release = Latch()
            let fixture = try ClientFixture(kind, clock: clock) { configuration in
                configuration.timeouts.connect = .seconds(5)
                configuration.timeouts.head = nil
                configuration.timeouts.request = .seconds(300)
                configuration.connectionsPerOrigin = 1
                configuration.resolver = Resolver(pool: pool) { (_, _) throws(SocketError) in
                    try? release.wait("the test")
                    return []
                }
            }
            let slow = fixture.send(.get("http://slow.example/"))
            try fixture.loop.turns(2)
            try fixture.advance(clock, by: .milliseconds(4_750))
            #expect(!slow.hasHead)
            try fixture.advance(clock, by: .milliseconds(250))
            try fixture.finish(slow)
            #expect(slow.error?.code == .timedOut)
            release.arrive()
            let (first, second) = (fixture.get(), fixture.get())
            let peer = try fixture.acceptRequest()
            try fixture.advance(clock, by: .seconds(299), step: .seconds(1))
            #expect(!first.hasHead && !second.hasHead)
            try fixture.advance(clock, by: .seconds(1), step: .seconds(1))
            try fixture.finish(first)
            try fixture.finish(second)
            #expect(first.error?.code == .timedOut && second.error?.code == .timedOut)
            withExtendedLifetime(peer) {}
        }

        @Test("A body is sent without 100 Continue after its limit", arguments: LoopKind.all)
        func noContinue(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let fixture = try fixture(kind, clock)
            var request = HTTPRequestMessage.put(fixture.raw.url, body: HTTPBody("content"))
            request.head.headerFields[.expect] = "100-continue"
            let answer = fixture.send(request)
            let peer = try fixture.acceptRequest()
            try fixture.advance(clock, by: .milliseconds(750))
            #expect(peer.receive() == .nothing)
            try fixture.advance(clock, by: .milliseconds(250))
            try fixture.receive(at: peer, until: "content")
            try fixture.answer(ClientFixture.ok, from: peer)
            try fixture.finish(answer)
            #expect(answer.text == "hello")
        }

        @Test("A server that does not read a stored body is reset after the idle limit", arguments: LoopKind.all)
        func stalledUpload(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let fixture = try fixture(kind, clock)
            let body = HTTPBody(Bytes([UInt8](repeating: 1, count: 50_000_000)))
            let answer = fixture.send(.put(fixture.raw.url, body: body))
            let peer = try fixture.accept()
            try fixture.loop.turns(50)
            // The kernel may still accept or acknowledge bytes, in real time. The idle limit then begins again. The limit
            // of the whole request is longer than these 270 seconds.
            for _ in 0..<9 where !answer.isComplete { try fixture.advance(clock, by: .seconds(30), step: .seconds(1)) }
            try fixture.finish(answer)
            #expect(answer.error?.code == .timedOut)
            withExtendedLifetime(peer) {}
        }

        @Test("A drain waits for requests and bodies, and fails what remains", arguments: LoopKind.all)
        func drain(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let fixture = try fixture(kind, clock)
            let idle = fixture.get()
            let idlePeer = try fixture.acceptRequest()
            let (first, second) = (fixture.get(), fixture.get())
            let (firstPeer, secondPeer) = (try fixture.accept(), try fixture.accept())
            try fixture.answer(ClientFixture.ok, from: idlePeer)
            try fixture.finish(idle)
            let hasStopped = Box(false)
            fixture.client.drain(within: .seconds(5)).subscribe(onTermination: { _ in hasStopped.value = true })
            let end = try fixture.expectEnd(at: idlePeer)
            #expect(end == .end)
            idlePeer.close()
            let late = fixture.get()
            try fixture.finish(late)
            #expect(late.error?.code == .closed)
            try fixture.answer(ClientFixture.ok, from: firstPeer)
            try fixture.finish(first)
            #expect(first.text == "hello" && !second.hasHead && !hasStopped.value)
            firstPeer.close()
            try fixture.advance(clock, by: .seconds(5))
            try fixture.finish(second)
            #expect(second.error?.code == .closed)
            try fixture.loop.turns { hasStopped.value }
            #expect(fixture.client.connectionCount == 0)
            withExtendedLifetime(secondPeer) {}
        }
    }
#endif
