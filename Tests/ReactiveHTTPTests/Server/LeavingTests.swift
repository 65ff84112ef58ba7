// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCommands
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveHTTP

    /// Clients that end their stream while a response is pending, on each loop.
    @Suite struct LeavingTests {
        /// A service that never answers a path other than `/quick`, and counts the subscriptions that are disposed.
        private struct Site {
            let fixture: HTTPFixture
            let clock = ManualClock()
            let begun = Box(0)
            let disposed = Box(0)

            init(_ kind: LoopKind, limits: HTTPLimits = HTTPLimits()) throws {
                let (begun, disposed) = (begun, disposed)
                fixture = try HTTPFixture(kind, limits: limits, clock: clock) { request in
                    Signal<HTTPResponseMessage, Never> { emitter, subscription in
                        if request.head.path == "/quick" {
                            emitter.send(.ok("x"))
                            return emitter.complete()
                        }
                        begun.increment()
                        subscription.onDispose { disposed.increment() }
                    }
                }
            }

            func request(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n" }

            func pass(_ seconds: Int) throws { try clock.pass(.seconds(seconds), on: fixture.loop) }
        }

        enum Way: CaseIterable { case finishes, closes }

        @Test(
            "A client that ends its stream while its response is pending has left, and the service is disposed",
            arguments: LoopKind.all,
            Way.allCases
        )
        func pending(_ kind: LoopKind, _ way: Way) throws {
            let site = try Site(kind)
            let client = try site.fixture.connect()
            try site.fixture.send(site.request("/never"), from: client)
            try site.fixture.loop.turns { site.begun.value == 1 }
            #expect(site.disposed.value == 0)
            if way == .finishes { client.finish() } else { client.close() }
            try site.fixture.loop.turns { site.disposed.value == 1 }
            try site.fixture.loop.turns { site.fixture.server.totals.ended == 1 }
            #expect(site.fixture.server.totals.failed == 0 && site.fixture.failures.count == 0)
            guard way == .finishes else { return }
            let (text, end) = try site.fixture.receiveToEnd(at: client)
            #expect(text.isEmpty && end == .end)
        }

        @Test("A task is cancelled if the client ends its stream before the response", arguments: LoopKind.all)
        func task(_ kind: LoopKind) async throws {
            let loop = try kind.make(thread: .owned)
            defer { loop.dispose() }
            let (states, state) = AsyncStream<String>.makeStream()
            // Tests that block the threads of tasks may delay this test for minutes.
            var limits = HTTPLimits()
            limits.idleTime = .seconds(3600)
            let server = try HTTPServer(
                on: .loopback(port: 0),
                loops: LoopGroup(loop),
                limits: limits,
                service: .task { _ in
                    state.yield("begun")
                    // It ends with the task only.
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                    state.yield(Task.isCancelled ? "cancelled" : "not cancelled")
                    return .ok("late")
                }
            )
            let connection = try #require(try await Connection.connect(to: server.localAddress, loop: loop).first())
            connection.send(Bytes(ExchangeTests.get))
            var iterator = states.makeAsyncIterator()
            #expect(await iterator.next() == "begun")
            connection.finishSending()
            for try await bytes in connection.received.values { Issue.record("received \(bytes)") }
            #expect(await iterator.next() == "cancelled")
        }

        @Test("A command's work is disposed if the client ends its stream before the response", arguments: LoopKind.all)
        func command(_ kind: LoopKind) throws {
            let isDisposed = Box(false)
            let command = Command<HTTPRequestMessage, HTTPResponseMessage, HTTPError> { _ in
                Signal { _, subscription in subscription.onDispose { isDisposed.value = true } }
            }
            let fixture = try HTTPFixture(kind, service: .command(command))
            try leave(fixture) { command.isExecuting.value }
            #expect(isDisposed.value && !command.isExecuting.value)
        }

        /// A client ends its stream when the service has begun. Returns when the connection has ended.
        private func leave(_ fixture: HTTPFixture, when hasBegun: @escaping () -> Bool) throws {
            let client = try fixture.connect()
            try fixture.send(ExchangeTests.get, from: client)
            try fixture.loop.turns { hasBegun() }
            client.finish()
            let (text, end) = try fixture.receiveToEnd(at: client)
            #expect(text.isEmpty && end == .end)
            try fixture.loop.turns { fixture.server.totals.ended == 1 }
            #expect(fixture.server.totals.failed == 0 && fixture.failures.count == 0)
        }

        @Test("Of a hundred clients that leave, none leaves a connection", arguments: LoopKind.all)
        func many(_ kind: LoopKind) throws {
            let site = try Site(kind)
            let clients = try (0..<100).map { _ in try site.fixture.connect() }
            for client in clients { try site.fixture.send(site.request("/never"), from: client) }
            try site.fixture.loop.turns { site.begun.value == 100 }
            for client in clients { client.close() }
            try site.fixture.loop.turns { site.disposed.value == 100 && site.fixture.server.totals.ended == 100 }
        }

        @Test(
            "An end of stream behind bytes that are not parsed is found at a check of the time limits",
            arguments: LoopKind.all,
            ["x", "\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"]
        )
        func behindBytes(_ kind: LoopKind, _ rest: String) throws {
            try leave(behind: rest, isLate: false, try Site(kind))
            try leave(behind: rest, isLate: true, try Site(kind))
        }

        private func leave(behind rest: String, isLate: Bool, _ site: Site) throws {
            let client = try site.fixture.connect()
            try site.fixture.send(site.request("/never") + (isLate ? "" : rest), from: client)
            try site.fixture.loop.turns { site.begun.value == 1 }
            for byte in isLate ? Array((rest + rest).utf8) : [] {
                client.send([byte])
                try site.fixture.loop.turns(3)
            }
            try site.pass(20)
            #expect(site.disposed.value == 0)
            client.finish()
            try site.pass(4)
            #expect(site.disposed.value == 1 && site.begun.value == 1)
            try site.fixture.loop.turns { site.fixture.server.totals.ended == 1 }
        }

        @Test(
            "Pipelined requests before the end are answered if the service answers immediately",
            arguments: LoopKind.all
        )
        func pipelined(_ kind: LoopKind) throws {
            let site = try Site(kind)
            let quick = try site.fixture.connect()
            let text = String(repeating: site.request("/quick"), count: 20)
            quick.send(Array(text.utf8))
            quick.finish()
            let (all, end) = try site.fixture.receiveToEnd(at: quick)
            #expect(all.components(of: "HTTP/1.1 200") == 20 && end == .end)
            let mixed = try site.fixture.connect()
            mixed.send(Array((site.request("/quick") + site.request("/never") + site.request("/quick")).utf8))
            mixed.finish()
            try site.pass(4)
            let (some, _) = try site.fixture.receiveToEnd(at: mixed)
            // The third request cannot be answered before the second.
            #expect(some.components(of: "HTTP/1.1 200") == 1)
            #expect(site.begun.value == 1 && site.disposed.value == 1)
        }

        @Test("A response whose head has been sent continues after the client's end of stream", arguments: LoopKind.all)
        func streaming(_ kind: LoopKind) throws {
            let body = Subject<Bytes, HTTPError>()
            let clock = ManualClock()
            let fixture = try HTTPFixture(kind, clock: clock) { _ in .ok(HTTPBody(body.signal)) }
            let client = try fixture.connect()
            try fixture.send(ExchangeTests.get, from: client)
            client.finish()
            try fixture.loop.turns(10)
            for _ in 0..<10 {
                try clock.pass(.seconds(40), on: fixture.loop)
                body.send("part ")
            }
            body.complete()
            let (text, end) = try fixture.receiveToEnd(at: client)
            #expect(text.components(of: "part ") == 10 && text.hasSuffix("0\r\n\r\n") && end == .end)
        }

        @Test(
            "A response of events ends with the client's stream, unless the server answers half-closed clients",
            arguments: LoopKind.all,
            [true, false]
        )
        func events(_ kind: LoopKind, _ answersHalfClosed: Bool) throws {
            var limits = HTTPLimits()
            limits.answersHalfClosed = answersHalfClosed
            let clock = ManualClock()
            let isDisposed = Box(false)
            let fixture = try HTTPFixture(kind, limits: limits, clock: clock) { _ in
                .events(
                    Signal<ServerSentEvent, HTTPError> { emitter, subscription in
                        subscription.onDispose { isDisposed.value = true }
                        emitter.send(ServerSentEvent("first"))
                    }
                )
            }
            let client = try fixture.connect()
            try fixture.send(ExchangeTests.get, from: client)
            client.finish()
            try fixture.loop.turns(10)
            #expect(isDisposed.value != answersHalfClosed)
            if answersHalfClosed { return client.close() }
            let (text, end) = try fixture.receiveToEnd(at: client)
            #expect(text.contains("data: first") && text.hasSuffix("\r\n0\r\n\r\n") && end == .end)
            #expect(fixture.server.totals.failed == 0)
        }

        @Test(
            "A response of events ends with a client that ends its stream inside the body of its request",
            arguments: LoopKind.all,
            [true, false]
        )
        func eventsDuringBody(_ kind: LoopKind, _ isLate: Bool) throws {
            let isDisposed = Box(false)
            let fixture = try HTTPFixture(kind) { request in
                Signal<HTTPResponseMessage, HTTPError> { emitter, _ in
                    let events = Signal<ServerSentEvent, HTTPError> { _, subscription in
                        subscription.onDispose { isDisposed.value = true }
                    }
                    request.body.signal.subscribe(
                        onValue: { _ in },
                        onTermination: { _ in if isLate { emitter.send(.events(events)) } }
                    )
                    if !isLate { emitter.send(.events(events)) }
                }
            }
            let client = try fixture.connect()
            try fixture.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nbody", from: client)
            client.finish()
            try fixture.loop.turns { isDisposed.value && fixture.server.totals.ended == 1 }
        }

        @Test("A slow service receives all chunks of a body that one read has delivered", arguments: LoopKind.all)
        func slowBody(_ kind: LoopKind) throws {
            let (clock, count, work) = (ManualClock(), Box(0), Subject<HTTPResponseMessage, HTTPError>())
            let fixture = try HTTPFixture(kind, clock: clock) { request in
                request.body.signal
                    .flatMap(.concat) { _ -> Signal<HTTPResponseMessage, HTTPError> in
                        count.increment()
                        return work.signal.take(1).ignoreValues()
                    }
                    .concat(value: .ok("done"))
            }
            let client = try fixture.connect()
            let chunks = String(repeating: "5\r\nhello\r\n", count: 30)
            let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            try fixture.send(head + chunks + "0\r\n\r\n", from: client)
            client.finish()
            for _ in 0..<30 {
                try clock.pass(.seconds(10), on: fixture.loop)
                work.send(.ok("unused"))
            }
            #expect(count.value == 30)
            let (text, end) = try fixture.receiveToEnd(at: client)
            #expect(text.hasSuffix("done") && end == .end)
        }

        @Test(
            "A silent response that has begun ends a minute after the client's end of stream",
            arguments: LoopKind.all,
            ["", "x"]
        )
        func silent(_ kind: LoopKind, _ rest: String) throws {
            let clock = ManualClock()
            let isDisposed = Box(false)
            let fixture = try HTTPFixture(kind, clock: clock) { _ in
                .ok(
                    HTTPBody(
                        Signal<Bytes, HTTPError> { _, subscription in
                            subscription.onDispose { isDisposed.value = true }
                        }
                    )
                )
            }
            let client = try fixture.connect()
            try fixture.send(ExchangeTests.get + rest, from: client)
            try fixture.loop.turns(5)
            client.send(Array(rest.utf8))
            client.finish()
            try clock.pass(.seconds(55), on: fixture.loop)
            #expect(!isDisposed.value)
            try clock.pass(.seconds(45), on: fixture.loop)
            #expect(isDisposed.value && fixture.server.totals.ended == 1)
        }

        @Test(
            "With answersHalfClosed the client receives its response, until the connection reaches halfClosed",
            arguments: LoopKind.all
        )
        func answered(_ kind: LoopKind) throws {
            var limits = HTTPLimits()
            limits.answersHalfClosed = true
            let clock = ManualClock()
            let response = Subject<HTTPResponseMessage, Never>()
            let fixture = try HTTPFixture(kind, limits: limits, clock: clock, service: .signal { _ in response.signal })
            let clients = [try fixture.connect(), try fixture.connect()]
            for (client, rest) in zip(clients, ["", "x"]) {
                try fixture.send(ExchangeTests.get + rest, from: client)
                client.finish()
            }
            try clock.pass(.seconds(55), on: fixture.loop)
            response.send(.ok("late"))
            for client in clients {
                let (text, end) = try fixture.receiveToEnd(at: client)
                #expect(text.contains("\r\n\r\nlate") && end == .end)
            }
            let last = try fixture.connect()
            try fixture.send(ExchangeTests.get, from: last)
            last.finish()
            try clock.pass(.seconds(80), on: fixture.loop)
            #expect(fixture.server.totals.ended == 3 && fixture.server.totals.failed == 1)
        }

        @Test(
            "A service that reads a complete body gets all of it, although the client has ended its stream",
            arguments: LoopKind.all
        )
        func upload(_ kind: LoopKind) throws {
            let (clock, log) = (ManualClock(), Log<Bytes, HTTPError>())
            let pause = Box<(any Disposable)?>(nil)
            let fixture = try HTTPFixture(kind, clock: clock) { request in
                Signal<HTTPResponseMessage, Never> { emitter, _ in
                    let count = Box(0)
                    request.body.signal.subscribe(
                        in: log.subscription,
                        onValue: { bytes in
                            count.value += bytes.count
                            if pause.value == nil { pause.value = log.subscription.pause() }
                        },
                        onTermination: { _ in emitter.send(.ok("received \(count.value)")) }
                    )
                }
            }
            let client = try fixture.connect()
            try fixture.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789", from: client)
            client.finish()
            try fixture.loop.turns { pause.value != nil }
            try clock.pass(.seconds(30), on: fixture.loop)
            pause.value?.dispose()
            let (text, end) = try fixture.receiveToEnd(at: client)
            #expect(text.hasSuffix("received 10") && end == .end)
        }

        @Test("A client that ends its stream inside an unread body has left", arguments: LoopKind.all)
        func unreadBody(_ kind: LoopKind) throws {
            let site = try Site(kind)
            let client = try site.fixture.connect()
            try site.fixture.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n", from: client)
            try site.fixture.loop.turns { site.begun.value == 1 }
            client.send([48])
            client.finish()
            try site.pass(4)
            #expect(site.disposed.value == 1 && site.fixture.failures.count == 0)
        }

        @Test("A service may answer an incomplete body within a minute", arguments: LoopKind.all, [true, false])
        func incompleteBody(_ kind: LoopKind, _ answers: Bool) throws {
            let (isDisposed, answer, clock) = (Box(false), Box<(@Sendable () -> Void)?>(nil), ManualClock())
            let fixture = try HTTPFixture(kind, clock: clock) { request in
                Signal<HTTPResponseMessage, Never> { emitter, subscription in
                    request.body.signal.subscribe(
                        onValue: { _ in },
                        onTermination: { _ in answer.value = { emitter.send(.plain(.badRequest, "incomplete")) } }
                    )
                    subscription.onDispose { isDisposed.value = true }
                }
            }
            let client = try fixture.connect()
            try fixture.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0", from: client)
            client.finish()
            try clock.pass(.seconds(10), on: fixture.loop)
            if answers { answer.value?() }
            try clock.pass(.seconds(40), on: fixture.loop)
            #expect(isDisposed.value == answers)
            try clock.pass(.seconds(40), on: fixture.loop)
            #expect(isDisposed.value && fixture.failures.values.first?.error.code == .incomplete)
            if answers { #expect(try fixture.receiveToEnd(at: client).text.hasPrefix("HTTP/1.1 400 ")) }
        }
    }
#endif
