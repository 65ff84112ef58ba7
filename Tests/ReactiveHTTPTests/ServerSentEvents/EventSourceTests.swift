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

    /// The client of server-sent events, on each loop, with time that the tests advance.
    @Suite struct EventSourceTests {
        @Test("It reconnects after the default time, and names the last event", arguments: LoopKind.all)
        func reconnection(_ kind: LoopKind) throws {
            let site = try EventSourceSite(kind)
            var peer = try site.stream("id: 7\ndata: one\n\ndata: two\n\nid: 8\ndata: not complete\n", lastEventID: nil)
            try site.expect(["one", "two"])
            #expect(site.events.values.map(\.id) == ["7", "7"])
            peer.close()
            try site.expectNoConnection(for: .milliseconds(2_750))
            peer = try site.stream("data: three\n\nid\ndata: four\n\n", after: .milliseconds(250), lastEventID: "7")
            try site.expect(["three", "four"])
            #expect(site.events.values.map(\.id) == ["7", nil])
            // A reset is an interruption too, and so is the end of a body with a length.
            peer.reset()
            peer = try site.stream("id: 9\n\n", after: .seconds(3), lastEventID: nil)
            peer.close()
            site.events.clear()
            peer = try site.connection(after: .seconds(3), lastEventID: "9")
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: TEXT/EVENT-STREAM ; charset=utf-8\r\nContent-Length: 12\r\n\r\n"
            try site.fixture.answer(head + "data: five\n\n", from: peer)
            try site.expect(["five"])
            // The connection is kept, and used again.
            try site.fixture.advance(site.clock, by: .seconds(3))
            #expect(try site.fixture.receive(at: peer).contains("Last-Event-ID: 9\r\n") && site.end == nil)
        }

        @Test("The server sets the time, within bounds", arguments: LoopKind.all)
        func retryTime(_ kind: LoopKind) throws {
            let site = try EventSourceSite(kind) { $0.lastEventID = "début" }
            try site.stream("retry: 10000\n\n", lastEventID: "début").close()
            try site.expectNoConnection(for: .milliseconds(9_750))
            try site.stream("retry: 0\n\n", after: .milliseconds(250), lastEventID: "début").close()
            try site.fixture.loop.turns(20)
            try site.fixture.advance(site.clock, by: .milliseconds(90), step: .milliseconds(90))
            #expect(site.fixture.raw.accept() == nil)
            try site.stream("retry: 99999999999999999\n\n", after: .milliseconds(10), lastEventID: "début").close()
            try site.stream("", after: .seconds(3600), step: .seconds(1200), lastEventID: "début").close()
        }

        @Test("All streams of a subscription arrive on the same loop", arguments: LoopKind.all)
        func oneLoop(_ kind: LoopKind) throws {
            let serving = try kind.make(thread: .owned)
            defer { serving.dispose() }
            let group = try LoopGroup(count: 2) { _ in try kind.make(thread: .owned) }
            defer { group.dispose() }
            let server = try HTTPServer(on: .loopback(port: 0), loops: LoopGroup(serving)) { _ in
                .ok("retry: 0\ndata: x\n\n", type: "text/event-stream")
            }
            let client = HTTPClient(loops: group)
            let (loops, subscription) = (Recorder<Bool>(), SignalSubscription())
            client.events(.get("http://\(server.localAddress)/")).subscribe(
                in: subscription,
                onValue: { _ in loops.append(group.loops[0].isCurrent) },
                onTermination: { _ in }
            )
            try waitUntil("streams") { loops.count >= 3 }
            subscription.dispose()
            #expect(Set(loops.values).count == 1)
        }

        @Test("204 completes the signal", arguments: LoopKind.all)
        func noContent(_ kind: LoopKind) throws {
            let site = try EventSourceSite(kind)
            try site.stream("data: last\n\n", lastEventID: nil).close()
            try site.expect(["last"])
            let peer = try site.connection(after: .seconds(3), lastEventID: nil)
            try site.fixture.answer("HTTP/1.1 204 No Content\r\n\r\n", from: peer)
            try site.fixture.loop.turns { site.end != nil }
            #expect(site.end == .completed)
            try site.expectNoConnection(for: .seconds(10))
        }

        @Test(
            "Another status or type fails the signal",
            arguments: LoopKind.all,
            [
                "200 OK\r\nContent-Type: text/html", "200 OK\r\nX: y", "500 No\r\nContent-Type: text/event-stream",
                "302 No",
            ]
        )
        func refused(_ kind: LoopKind, _ head: String) throws {
            let site = try EventSourceSite(kind)
            let peer = try site.connection(lastEventID: nil)
            try site.fixture.answer("HTTP/1.1 \(head)\r\nContent-Length: 8\r\n\r\ndata: x\n\n", from: peer)
            try site.fixture.loop.turns { site.end != nil }
            #expect(site.error?.code == .notEventStream && site.events.values.isEmpty)
            // The status of a service that passes the failure on.
            #expect(site.error?.status == .badGateway)
            peer.close()
            try site.expectNoConnection(for: .seconds(10))
        }

        @Test("A line beyond the limit fails the signal, after the events before it", arguments: LoopKind.all)
        func limits(_ kind: LoopKind) throws {
            let site = try EventSourceSite(kind) { $0.limits.lineBytes = 20 }
            let peer = try site.stream("data: one\n\ndata: 0123456789ABCDEF\n\n", lastEventID: nil)
            try site.expect(["one"])
            try site.fixture.loop.turns { site.end != nil }
            #expect(site.error?.code == .contentTooLarge)
            peer.close()
            try site.expectNoConnection(for: .seconds(10))
        }

        @Test("A stopped client fails the signal, instead of another attempt", arguments: LoopKind.all)
        func stopped(_ kind: LoopKind) throws {
            let site = try EventSourceSite(kind)
            let peer = try site.stream("data: one\n\n", lastEventID: nil)
            try site.expect(["one"])
            site.fixture.client.stop()
            try site.fixture.loop.turns { site.end != nil }
            #expect(site.error?.code == .closed)
            peer.close()
        }

        @Test("Failures in a row wait longer, and a stream resets that", arguments: LoopKind.all)
        func backoff(_ kind: LoopKind) throws {
            let site = try EventSourceSite(kind) {
                $0.reconnectionTime = .seconds(1)
                $0.backoff = Backoff(first: .seconds(2), maximum: .seconds(5), jitter: 0)
            }
            try site.connection(lastEventID: nil).close()
            // The reconnection time, then 2, 4 and at most 5 seconds more.
            for wait in [1, 3, 5, 6, 6] {
                try site.expectNoConnection(for: .milliseconds(wait * 1000 - 250))
                try site.connection(after: .milliseconds(250), lastEventID: nil).close()
            }
            try site.expectNoConnection(for: .milliseconds(5_750))
            try site.stream("data: one\n\n", after: .milliseconds(250), lastEventID: nil).close()
            try site.expect(["one"])
            try site.expectNoConnection(for: .milliseconds(750))
            try site.connection(after: .milliseconds(250), lastEventID: nil).close()
            try site.expectNoConnection(for: .milliseconds(750))
            try site.connection(after: .milliseconds(250), lastEventID: nil).close()
        }

        @Test("The first failure waits for the reconnection time alone", arguments: LoopKind.all)
        func firstFailure(_ kind: LoopKind) throws {
            let (clock, attempts) = (ManualClock(), Box(0))
            // An address that no interface has: the system refuses each attempt before it connects.
            let foreign = try SocketAddress(host: "192.0.2.1", port: 0)
            let fixture = try ClientFixture(kind, clock: clock) { configuration in
                configuration.connecting.localAddress = foreign
                configuration.security = { _ in
                    attempts.increment()
                    return { Unchanged() }
                }
            }
            var configuration = EventSourceConfiguration()
            configuration.reconnectionTime = .seconds(1)
            configuration.backoff = Backoff(first: .seconds(2), maximum: .seconds(5), jitter: 0)
            let subscription = SignalSubscription()
            defer { subscription.dispose() }
            fixture.client.events(.get("https://\(fixture.raw.address)/"), configuration: configuration)
                .subscribe(in: subscription, onValue: { _ in }, onTermination: { _ in })
            for (number, wait) in [1, 3, 5, 6].enumerated() {
                try fixture.loop.turns(20)
                try fixture.advance(clock, by: .milliseconds(wait * 1000 - 250))
                #expect(attempts.value == number + 1)
                try fixture.advance(clock, by: .milliseconds(250))
                try fixture.loop.turns(20)
                #expect(attempts.value == number + 2)
            }
        }

        @Test("Refused connections are tried again", arguments: LoopKind.all)
        func unreachable(_ kind: LoopKind) throws {
            let site = try EventSourceSite(kind, listens: false)
            try site.fixture.advance(site.clock, by: .seconds(20))
            #expect(site.end == nil && site.events.values.isEmpty)
            site.subscription.dispose()
            try site.expectIdle()
        }

        @Test("A silent stream counts as failed", arguments: LoopKind.all)
        func silence(_ kind: LoopKind) throws {
            let site = try EventSourceSite(kind)
            let peer = try site.stream("data: one\n\n", lastEventID: nil)
            try site.expect(["one"])
            try site.fixture.advance(site.clock, by: .seconds(80))
            _ = try site.fixture.expectEnd(at: peer)
            _ = try site.connection(after: .seconds(3), lastEventID: nil)
        }

        @Test("A paused subscriber pauses the server, and loses nothing", arguments: LoopKind.all)
        func pause(_ kind: LoopKind) throws {
            let site = try EventSourceSite(kind)
            let peer = try site.stream("id: 1\ndata: one\n\n", lastEventID: nil)
            try site.expect(["one"])
            site.events.clear()
            let pause = site.subscription.pause()
            let event = "data: \(String(repeating: "x", count: 1000))\n\n"
            let block = Array(String(repeating: event, count: 100).utf8)
            var (sent, silent) = (0, 0)
            while silent < 100 {
                // A send may accept a part. The next one continues there.
                let count = peer.send(block[(sent % block.count)...])
                sent += count
                silent = count > 0 ? 0 : silent + 1
                try site.fixture.loop.turns(1)
                try #require(sent < 100_000_000, "the peer is not paused")
            }
            #expect(site.events.values.isEmpty)
            pause.dispose()
            let expected = sent / event.utf8.count
            try site.fixture.loop.turns { site.events.values.count >= expected }
            let allSame = site.events.values.allSatisfy { $0.data.utf8.count == 1000 && $0.id == "1" }
            #expect(site.events.values.count == expected && allSame)
        }

        @Test("Events that a paused subscriber has not received are requested again", arguments: LoopKind.all)
        func interruptedPause(_ kind: LoopKind) throws {
            let site = try EventSourceSite(kind)
            let peer = try site.stream("id: 1\ndata: one\n\n", lastEventID: nil)
            try site.expect(["one"])
            site.events.clear()
            let pause = site.subscription.pause()
            try site.fixture.answer("id: 2\ndata: two\n\nid: 3\ndata: three\n\n", from: peer)
            try site.fixture.loop.turns(20)
            peer.reset()
            try site.fixture.loop.turns(20)
            pause.dispose()
            try site.fixture.loop.turns(20)
            // Each event that has arrived before the reset is either delivered or requested again.
            let last = site.events.values.last?.id ?? "1"
            _ = try site.connection(after: .seconds(3), lastEventID: last)
            #expect(site.events.values.map(\.id) == Array(["2", "3"].prefix(Int(last)! - 1)))
        }

        @Test("Disposal closes the stream, cancels the request, or stops the timer", arguments: LoopKind.all, 0..<4)
        func disposal(_ kind: LoopKind, _ moment: Int) throws {
            let site = try EventSourceSite(kind)
            var peer: RawPeer?
            switch moment {
            case 0: break
            case 1: peer = try site.connection(lastEventID: nil)
            case 2:
                peer = try site.stream("data: one\n\n", lastEventID: nil)
                try site.expect(["one"])
            default:
                try site.stream("data: one\n\n", lastEventID: nil).close()
                try site.expect(["one"])
            }
            site.subscription.dispose()
            if let peer {
                _ = try site.fixture.expectEnd(at: peer)
                peer.close()
            }
            try site.expectIdle()
            #expect(site.end == nil)
        }
    }
#endif
