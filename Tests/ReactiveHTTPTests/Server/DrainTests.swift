// SPDX-License-Identifier: MIT
#if HTTP
    import Glibc
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP

    /// Drains, in virtual time, on each loop.
    @Suite struct DrainTests {
        private let clock = ManualClock()

        /// Advances the clock in steps of a tenth of a second.
        private func advance(_ fixture: HTTPFixture, by duration: Duration) throws {
            try clock.pass(duration, step: .milliseconds(100), on: fixture.loop)
        }

        /// Drains, and returns whether the server has stopped.
        private func drain(_ fixture: HTTPFixture) throws -> Box<Bool> {
            let hasStopped = Box(false)
            fixture.server.drain(within: .seconds(3600)).subscribe(onTermination: { _ in hasStopped.value = true })
            try fixture.loop.turns(5)
            return hasStopped
        }

        private func expectLast(_ body: String, at client: RawPeer, _ fixture: HTTPFixture) throws {
            let (text, end) = try fixture.receiveToEnd(at: client)
            #expect(text.contains("onnection: close") && text.hasSuffix(body) && end == .end, "\(text), \(end)")
            client.close()
        }

        private func expectClosed(_ client: RawPeer, _ fixture: HTTPFixture) throws {
            let (text, end) = try fixture.receiveToEnd(at: client)
            #expect(text.isEmpty && end == .end, "\(text), \(end)")
            client.close()
        }

        @Test("A request under way, and a head that has begun, are answered before the end", arguments: LoopKind.all)
        func underWay(_ kind: LoopKind) throws {
            let response = Subject<HTTPResponseMessage, Never>()
            let requests = Box(0)
            let fixture = try HTTPFixture(kind, clock: clock) { _ in
                requests.increment()
                return response.signal
            }
            let (busy, partial) = (try fixture.connect(), try fixture.connect())
            try fixture.send("GET / HT", from: partial)
            try fixture.loop.turns(5)
            try fixture.send(ExchangeTests.get, from: busy)
            try fixture.loop.turns { requests.value == 1 }
            let hasStopped = try drain(fixture)
            try advance(fixture, by: .seconds(3))
            try fixture.expectSilence(at: busy)
            try fixture.send("TP/1.1\r\nHost: a\r\n\r\n", from: partial)
            try fixture.loop.turns { requests.value == 2 }
            response.send(.ok("last"))
            for client in [busy, partial] { try expectLast("last", at: client, fixture) }
            try fixture.loop.turns { hasStopped.value }
        }

        @Test("Bytes that begin no request delay the end of a drain by one more second", arguments: LoopKind.all)
        func bytesWithoutRequest(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind, clock: clock) { _ in .ok("x") }
            let client = try fixture.connect()
            _ = try fixture.exchange(ExchangeTests.get, on: client)
            // An empty line arrives after the turn has looked for bytes, and before the timer of the drain.
            _ = fixture.loop.schedule(at: fixture.loop.now + .seconds(1), options: TimerOptions()) {
                client.send(Array("\r\n".utf8))
            }
            let hasStopped = try drain(fixture)
            clock.advance(by: .seconds(1))
            try fixture.loop.turns(5)
            try fixture.expectSilence(at: client)
            try advance(fixture, by: .seconds(1))
            try expectClosed(client, fixture)
            try fixture.loop.turns { hasStopped.value }
        }

        @Test("A connection that has been idle for long is closed immediately", arguments: LoopKind.all)
        func idle(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind, clock: clock) { _ in .ok("x") }
            let (used, unused) = (try fixture.connect(), try fixture.connect())
            _ = try fixture.exchange(ExchangeTests.get, on: used)
            // The connection looks at the time every 2.5 s. Two looks show that it has been idle.
            try advance(fixture, by: .seconds(6))
            let hasStopped = try drain(fixture)
            for client in [used, unused] { try expectClosed(client, fixture) }
            try fixture.loop.turns { hasStopped.value }
            #expect(fixture.server.totals.failed == 0)
        }

        @Test("A new or recently used connection may send one more request for a second", arguments: LoopKind.all)
        func lastRequest(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind, clock: clock) { _ in .ok("x") }
            let (new, used) = (try fixture.connect(), try fixture.connect())
            let (silentNew, silentUsed) = (try fixture.connect(), try fixture.connect())
            for client in [used, silentUsed] { _ = try fixture.exchange(ExchangeTests.get, on: client) }
            let hasStopped = try drain(fixture)
            try advance(fixture, by: .milliseconds(900))
            for client in [silentNew, silentUsed] { try fixture.expectSilence(at: client) }
            for client in [new, used] {
                try fixture.send(ExchangeTests.get, from: client)
                try expectLast("x", at: client, fixture)
            }
            #expect(!hasStopped.value && fixture.server.state.value == .draining)
            try advance(fixture, by: .milliseconds(200))
            for client in [silentNew, silentUsed] { try expectClosed(client, fixture) }
            try fixture.loop.turns { hasStopped.value }
            #expect(fixture.server.totals.failed == 0 && fixture.failures.values.isEmpty)
        }

        @Test("A client that ends its stream is not waited for", arguments: LoopKind.all)
        func halfClosed(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind, clock: clock) { _ in .ok("x") }
            let client = try fixture.connect()
            let hasStopped = try drain(fixture)
            client.finish()
            try expectClosed(client, fixture)
            try fixture.loop.turns { hasStopped.value }
        }

        @Test("After a response that began before the drain, one more request is answered", arguments: LoopKind.all)
        func unannounced(_ kind: LoopKind) throws {
            let body = Subject<Bytes, HTTPError>()
            let requests = Box(0)
            let fixture = try HTTPFixture(kind, clock: clock) { request in
                requests.increment()
                return request.head.path == "/long" ? .ok(HTTPBody(body.signal)) : .ok("last")
            }
            let long = "GET /long HTTP/1.1\r\nHost: a\r\n\r\n"
            let (pipelining, later, silent) = (try fixture.connect(), try fixture.connect(), try fixture.connect())
            // Of two pipelined requests, only the first is answered: its response announces the end.
            try fixture.send(long + ExchangeTests.get + ExchangeTests.get, from: pipelining)
            for client in [later, silent] { try fixture.send(long, from: client) }
            try fixture.loop.turns { requests.value == 3 }
            body.send("part")
            try fixture.loop.turns(5)
            let hasStopped = try drain(fixture)
            body.complete()
            let (text, end) = try fixture.receiveToEnd(at: pipelining)
            #expect(text.components("last") == 1 && text.components("onnection: close") == 1 && end == .end, "\(text)")
            pipelining.close()
            for client in [later, silent] {
                let response = try fixture.responses(1, at: client)[0]
                #expect(response.text == "part" && response.fields["connection"] == nil)
            }
            try fixture.send(ExchangeTests.get, from: later)
            try expectLast("last", at: later, fixture)
            try advance(fixture, by: .milliseconds(900))
            try fixture.expectSilence(at: silent)
            try advance(fixture, by: .milliseconds(200))
            try expectClosed(silent, fixture)
            try fixture.loop.turns { hasStopped.value }
        }

        @Test("A disposed connection does not wait for its last request", arguments: LoopKind.all)
        func grace(_ kind: LoopKind) throws {
            let fixture = try HTTPFixture(kind, on: ownLoopback(), clock: clock) { _ in .ok("x") }
            let client = try fixture.connect()
            let hasStopped = try drain(fixture)
            fixture.server.stop()
            try fixture.loop.turns { hasStopped.value }
            try advance(fixture, by: .seconds(2))
            let (text, end) = try fixture.receiveToEnd(at: client)
            #expect(text.isEmpty && end == .failed(ECONNRESET))
            client.close()
        }
    }

    extension String {
        /// How often `part` occurs.
        fileprivate func components(_ part: String) -> Int {
            split(separator: part, omittingEmptySubsequences: false).count - 1
        }
    }
#endif
