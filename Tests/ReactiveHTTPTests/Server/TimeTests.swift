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

    /// The time limits, in virtual time, on each loop.
    @Suite struct TimeTests {
        private static var limits: HTTPLimits {
            var limits = HTTPLimits()
            limits.headTime = .seconds(10)
            limits.idleTime = .seconds(60)
            return limits
        }

        /// Advances the clock in steps of a quarter of a second, and calls `body` at each.
        private func advance(
            _ clock: ManualClock,
            _ fixture: HTTPFixture,
            by duration: Duration,
            _ body: (Int) throws -> Void = { _ in }
        ) throws {
            try clock.pass(duration, step: .milliseconds(250), on: fixture.loop, body)
        }

        @Test("A head of one byte per second is answered with 408 after its limit", arguments: LoopKind.all)
        func slowHead(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let fixture = try HTTPFixture(kind, limits: Self.limits, clock: clock) { _ in .ok("x") }
            let client = try fixture.connect()
            // Another request before it starts no clock for it.
            _ = try fixture.exchange(ExchangeTests.get, on: client)
            try advance(clock, fixture, by: .seconds(20))
            let head = Array("GET / HTTP/1.1\r\nHost: aaaaaaaaaaaaaaaaaaaaaaaaa".utf8)
            try advance(clock, fixture, by: .milliseconds(9_750)) { step in
                if step % 4 == 0 { client.send([head[step / 4]]) }
            }
            let early = client.receive()
            #expect(early == .nothing)
            try advance(clock, fixture, by: .seconds(3))
            let (text, end) = try fixture.receiveToEnd(at: client)
            #expect(text.hasPrefix("HTTP/1.1 408 ") && end == .end)
        }

        @Test("A connection without a request is closed silently after its limit", arguments: LoopKind.all)
        func idle(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let fixture = try HTTPFixture(kind, limits: Self.limits, clock: clock) { _ in .ok("x") }
            let clients = [try fixture.connect(), try fixture.connect()]
            _ = try fixture.exchange(ExchangeTests.get, on: clients[1])
            try advance(clock, fixture, by: .milliseconds(59_750))
            for client in clients {
                let early = client.receive()
                #expect(early == .nothing)
            }
            try advance(clock, fixture, by: .seconds(5))
            for client in clients {
                let (text, end) = try fixture.receiveToEnd(at: client)
                #expect(text.isEmpty && end == .end)
            }
        }

        @Test("A service may take any time", arguments: LoopKind.all)
        func slowService(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let response = Subject<HTTPResponseMessage, Never>()
            let fixture = try HTTPFixture(kind, limits: Self.limits, clock: clock) { _ in response.signal }
            try answer(try fixture.connect(), response, after: .seconds(300), clock, fixture)
        }

        /// Lets the service answer a request late.
        private func answer(
            _ client: RawPeer,
            _ response: Subject<HTTPResponseMessage, Never>,
            after delay: Duration,
            _ clock: ManualClock,
            _ fixture: HTTPFixture
        ) throws {
            try fixture.send(ExchangeTests.get, from: client)
            try fixture.loop.turns(5)
            try advance(clock, fixture, by: delay)
            response.send(.ok("late"))
            let answer = try fixture.responses(1, at: client)[0]
            #expect(answer.text == "late")
        }

        @Test(
            "The limits of the connection count between requests, and not while a service works",
            arguments: LoopKind.all
        )
        func connectionLimits(_ kind: LoopKind) throws {
            for timeouts in [
                ConnectionTimeouts(idle: .seconds(20)), ConnectionTimeouts(readStalled: .seconds(20)),
            ] {
                let clock = ManualClock()
                let (response, connections) = (Subject<HTTPResponseMessage, Never>(), ServerLimits(timeouts: timeouts))
                let fixture = try HTTPFixture(kind, limits: Self.limits, connections: connections, clock: clock) { _ in
                    response.signal
                }
                let client = try fixture.connect()
                for _ in 0..<2 { try answer(client, response, after: .seconds(50), clock, fixture) }
                try advance(clock, fixture, by: .seconds(19))
                let early = client.receive()
                #expect(early == .nothing)
                try advance(clock, fixture, by: .seconds(7))
                let (text, end) = try fixture.receiveToEnd(at: client)
                #expect(text.isEmpty && end == .end)
            }
        }

        @Test("A client that receives a response slowly may send another request", arguments: LoopKind.all)
        func slowReader(_ kind: LoopKind) throws {
            let clock = ManualClock()
            // More than the client receives in three minutes.
            let body = Bytes([UInt8](repeating: 120, count: 8_000_000))
            let fixture = try HTTPFixture(kind, limits: Self.limits, clock: clock) { request in
                .ok(request.head.path == "/long" ? body : "x")
            }
            let client = try fixture.connect()
            try fixture.send("GET /long HTTP/1.1\r\nHost: a\r\n\r\n", from: client)
            try fixture.loop.turns(5)
            var (reader, end): (RawResponses, RawPeer.Read?) = (RawResponses(), nil)
            func receive() {
                while end == nil {
                    switch client.receive(100_000) {
                    case .bytes(let bytes): reader.feed(bytes)
                    case .nothing: return
                    case let other: end = other
                    }
                }
            }
            try advance(clock, fixture, by: .seconds(180)) { step in if step % 80 == 0 { receive() } }
            #expect(reader.complete.isEmpty)
            try fixture.loop.turns {
                receive()
                return !reader.complete.isEmpty || end != nil
            }
            try #require(end == nil)
            let second = try fixture.exchange(ExchangeTests.get, on: client)
            #expect(second.text == "x")
        }

        @Test(
            "A client that does not read its response is reset at its limit, or up to a quarter of it later",
            arguments: LoopKind.all
        )
        func stalledReader(_ kind: LoopKind) throws {
            let clock = ManualClock()
            // More than the buffers of the kernel.
            let body = Bytes([UInt8](repeating: 120, count: 8_000_000))
            let fixture = try HTTPFixture(kind, limits: Self.limits, clock: clock) { _ in .ok(body) }
            let client = try fixture.connect()
            // The response does not begin together with the checks.
            try advance(clock, fixture, by: .seconds(7))
            try fixture.send(ExchangeTests.get, from: client)
            try fixture.loop.turns(5)
            try advance(clock, fixture, by: .milliseconds(59_750))
            #expect(fixture.server.connectionCount.value == 1 && fixture.server.totals.failed == 0)
            try advance(clock, fixture, by: .milliseconds(15_500))
            #expect(fixture.server.totals.failed == 1)
        }

        @Test("A body that stops is answered with 408, and a slow one is not", arguments: LoopKind.all)
        func slowBody(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let fixture = try HTTPFixture(kind, limits: Self.limits, clock: clock) { request in
                request.body.bytes().map { .ok($0) }
            }
            let (slow, stopped) = (try fixture.connect(), try fixture.connect())
            let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"
            try fixture.send(head, from: slow)
            try fixture.send(head + "x", from: stopped)
            try fixture.loop.turns(5)
            try advance(clock, fixture, by: .seconds(160)) { step in
                if step % 128 == 0 { client(slow, step / 128) }
            }
            func client(_ client: RawPeer, _ number: Int) { client.send([UInt8(48 + number)]) }
            let answer = try fixture.responses(1, at: slow)[0]
            #expect(answer.text == "01234")
            let (text, end) = try fixture.receiveToEnd(at: stopped)
            #expect(text.hasPrefix("HTTP/1.1 408 ") && end == .end)
        }

        @Test("A wait is found at its limit, and not before")
        func clock() {
            var clock = PatienceClock(head: .seconds(8), idle: .seconds(20))
            #expect(clock.period == .seconds(2))
            var found: [Bool] = (0..<5).map { _ in clock.check(.head(1)) }
            #expect(found == [false, false, false, false, true])
            found = (0..<5).map { number in clock.check(.head(number)) }
            #expect(found == [false, false, false, false, false])
            found = (0..<11).map { _ in clock.check(.request(1)) }
            #expect(found == [Bool](repeating: false, count: 10) + [true])
            #expect(clock.check(nil) == false && clock.check(.request(1)) == false)
            // Shorter intervals would occupy the loop.
            #expect(PatienceClock(head: .zero, idle: .seconds(20)).period == .milliseconds(1))
            // A long limit does not delay a short one, and is found too.
            var far = PatienceClock(head: .milliseconds(4), idle: .seconds(100))
            #expect(far.period == .milliseconds(1))
            let checks = (0...110_000).first { _ in far.check(.request(1)) }
            #expect(checks == 100_000)
            #expect(PatienceClock(head: .seconds(10), idle: .seconds(Int64.max)).period == .milliseconds(2_500))
        }
    }
#endif
