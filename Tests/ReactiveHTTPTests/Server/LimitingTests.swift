// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCommands
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTesting
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP

    /// A server whose service has a limiter, on each loop.
    @Suite struct LimitingTests {
        private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        private let clock = TestScheduler()
        private let answers = Subject<HTTPResponseMessage, HTTPError>()
        /// The paths of the requests that the service has received.
        private let paths = Recorder<String>()

        private func limiter(_ count: Int = 1) -> LoadLimiter {
            LoadLimiter(on: clock, concurrency: ConcurrencyLimit(initial: count, minimum: count, maximum: count))
        }

        /// A service that answers with the next value of `answers`.
        private func fixture(_ kind: LoopKind, _ limiter: LoadLimiter) throws -> HTTPFixture {
            let service = HTTPService.signal { [answers, paths] request in
                paths.append(request.head.path ?? "")
                return answers.signal.take(1)
            }
            return try HTTPFixture(
                kind,
                service: service.limited(by: limiter, retryAfter: .milliseconds(1500)) { $0.path == "/health" }
            )
        }

        @Test("A request beyond the limit is answered with 503 before its body arrives", arguments: LoopKind.all)
        func rejection(_ kind: LoopKind) throws {
            let limiter = limiter()
            let fixture = try fixture(kind, limiter)
            let (first, second) = (try fixture.connect(), try fixture.connect())
            try fixture.send(Self.get, from: first)
            try fixture.loop.turns { limiter.totals.underWay == 1 }
            let rejected = try fixture.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n", on: second)
            #expect(rejected.status == 503 && rejected.fields["retry-after"] == "2")
            #expect(limiter.totals.rejected == 1)
            // The connection continues after the rest of the body.
            try fixture.send("hello", from: second)
            answers.send(.ok("done"))
            #expect(try fixture.responses(1, at: first)[0].text == "done")
            try fixture.send(Self.get, from: second)
            try fixture.loop.turns { limiter.totals.admitted == 2 }
            answers.send(.ok("too"))
            #expect(try fixture.responses(1, at: second)[0].text == "too")
            #expect(limiter.totals.completed == 2 && limiter.totals.underWay == 0)
        }

        @Test(
            "Exempt requests are served during an overload, and HEAD is rejected without a body",
            arguments: LoopKind.all
        )
        func exemption(_ kind: LoopKind) throws {
            let limiter = limiter()
            let fixture = try fixture(kind, limiter)
            let (first, second) = (try fixture.connect(), try fixture.connect())
            try fixture.send(Self.get, from: first)
            try fixture.loop.turns { limiter.totals.underWay == 1 }
            let rejected = try fixture.exchange("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", on: second)
            #expect(rejected.status == 503)
            try fixture.send("GET /health HTTP/1.1\r\nHost: a\r\n\r\n", from: second)
            try fixture.loop.turns { paths.values.last == "/health" }
            answers.send(.ok("well"))
            #expect(try fixture.responses(1, at: second)[0].text == "well")
            #expect(limiter.totals.admitted == 1 && limiter.totals.rejected == 1)
        }

        @Test("A client that leaves frees the slot, and is not measured", arguments: LoopKind.all)
        func abort(_ kind: LoopKind) throws {
            let limiter = limiter()
            let fixture = try fixture(kind, limiter)
            let first = try fixture.connect()
            try fixture.send(Self.get, from: first)
            try fixture.loop.turns { limiter.totals.underWay == 1 }
            first.reset()
            try fixture.loop.turns { limiter.totals.ignored == 1 }
            #expect(limiter.totals.underWay == 0 && limiter.totals.completed == 0)
        }

        @Test("A disposed loop and server free the slots", arguments: LoopKind.all)
        func disposal(_ kind: LoopKind) throws {
            let limiter = limiter()
            try serveForever(kind, limiter)
            #expect(limiter.totals.underWay == 0 && limiter.totals.ignored == 1)
        }

        private func serveForever(_ kind: LoopKind, _ limiter: LoadLimiter) throws {
            let service = HTTPService.signal { _ in Signal<HTTPResponseMessage, HTTPError>.never }
            let fixture = try HTTPFixture(kind, service: service.limited(by: limiter))
            let client = try fixture.connect()
            try fixture.send(Self.get, from: client)
            try fixture.loop.turns { limiter.totals.underWay == 1 }
            fixture.loop.dispose()
            client.close()
        }

        @Test("Limiters can be nested, and each measures the request", arguments: LoopKind.all)
        func nested(_ kind: LoopKind) throws {
            let (inner, outer) = (limiter(), limiter(2))
            let service = HTTPService.signal { [answers] _ in answers.signal.take(1) }
            let fixture = try HTTPFixture(kind, service: service.limited(by: inner).limited(by: outer))
            let (first, second) = (try fixture.connect(), try fixture.connect())
            try fixture.send(Self.get, from: first)
            try fixture.loop.turns { inner.totals.underWay == 1 && outer.totals.underWay == 1 }
            #expect(try fixture.exchange(Self.get, on: second).status == 503)
            #expect(inner.totals.rejected == 1 && outer.totals.ignored == 1 && outer.totals.dropped == 0)
            answers.send(.ok("done"))
            #expect(try fixture.responses(1, at: first)[0].text == "done")
            #expect(inner.totals.completed == 1 && outer.totals.completed == 1 && outer.totals.underWay == 0)
        }

        @Test("Neither an upgrade nor a body without an end keeps a slot", arguments: LoopKind.all, [true, false])
        func longResponses(_ kind: LoopKind, _ isUpgrade: Bool) throws {
            let limiter = limiter()
            let source = Subject<Bytes, SocketError>()
            let fixture = try HTTPFixture(
                kind,
                service: HTTPService.function { _ in
                    isUpgrade ? .upgrade(to: "echo") { _ in source.signal } : .ok(HTTPBody(source.signal))
                }.limited(by: limiter)
            )
            let client = try fixture.connect()
            try fixture.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n", from: client)
            var text = ""
            try fixture.loop.turns {
                source.send("x")
                if case .bytes(let bytes) = client.receive() { text += String(decoding: bytes, as: UTF8.self) }
                return text.hasSuffix("x") || text.hasSuffix("x\r\n")
            }
            #expect(text.hasPrefix(isUpgrade ? "HTTP/1.1 101 " : "HTTP/1.1 200 "))
            #expect(limiter.totals.completed == 1 && limiter.totals.underWay == 0)
        }

        @Test(
            "503 and 504 reduce the limit, and other failures are not measured",
            arguments: [(200, "completed"), (404, "completed"), (500, "ignored"), (503, "dropped"), (504, "dropped")]
                as [(Int, String)]
        )
        func outcomes(_ status: Int, _ outcome: String) throws {
            let limiter = limiter()
            let fixture = try HTTPFixture(
                .dispatch,
                service: HTTPService.paths([
                    "/": .function { _ in .response(HTTPResponse.Status(code: status)) }
                ]).limited(by: limiter)
            )
            #expect(try fixture.exchange(Self.get, on: fixture.connect()).status == status)
            let totals = limiter.totals
            #expect((outcome == "completed") == (totals.completed == 1))
            #expect((outcome == "ignored") == (totals.ignored == 1))
            #expect((outcome == "dropped") == (totals.dropped == 1))
        }

        @Test("A failure is dropped if the limiter says so, and ignored otherwise", arguments: [true, false])
        func failures(_ isDrop: Bool) throws {
            let limiter = LoadLimiter(on: clock) { _ in isDrop }
            let fixture = try HTTPFixture(
                .dispatch,
                service: HTTPService.signal { _ in
                    Signal<HTTPResponseMessage, HTTPError>.fail(HTTPError(.serviceFailed, "broken"))
                }.limited(by: limiter)
            )
            #expect(try fixture.exchange(Self.get, on: fixture.connect()).status == 500)
            #expect(limiter.totals.dropped == (isDrop ? 1 : 0) && limiter.totals.ignored == (isDrop ? 0 : 1))
        }

        @Test("Retry-After is rounded up to whole seconds")
        func retryAfter() {
            let durations: [Duration] = [.zero, .seconds(-1), .nanoseconds(1), .seconds(2), .seconds(Int64.max)]
            let values = durations.map { HTTPResponseMessage.busy("", retryAfter: $0).head.headerFields[.retryAfter] }
            #expect(values == ["0", "0", "1", "2", "\(Int64.max)"])
        }
    }
#endif
