// SPDX-License-Identifier: MIT
#if Tracing
    import HTTPTypes
    import InMemoryTracing
    import LoopTestSupport
    import ReactiveCommands
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import Testing
    import Tracing
    import TracingTestSupport

    @testable import ReactiveTracing

    private enum Broken: Error {
        case bad
    }

    /// Spans of signals, commands, requests and connections.
    @Suite struct TracedTests {
        @Test("A signal's span contains the spans before it, and not those after it", arguments: LoopKind.all)
        func nesting(_ kind: LoopKind) throws {
            let fixture = try TracingFixture(kind)
            let tracer = fixture.tracer
            let source = Signal<Void, Never>.timer(after: .milliseconds(1), on: fixture.loop)
            let span = tracer.startSpan("caller")
            let isOver = Box(false)
            ServiceContext.withValue(span.context) {
                _ = source.flatMap { _ in Signal<Int, Never>.just(1).traced("inner", by: tracer) }
                    .observe(on: fixture.loop)
                    .traced("outer", by: tracer, attributes: ["number": 5]) { value, span in
                        span.attributes["value"] = value
                    }
                    .flatMap { Signal<Int, Never>.just($0).traced("sibling", by: tracer) }
                    .subscribe(onValue: { (_: Int) in }, onTermination: { _ in isOver.value = true })
            }
            try waitUntil("the end") { isOver.value }
            span.end()
            let (caller, outer) = (try fixture.span("caller"), try fixture.span("outer"))
            #expect(try fixture.span("inner").parentSpanID == outer.spanID)
            #expect(outer.parentSpanID == caller.spanID)
            #expect(try fixture.span("sibling").parentSpanID == caller.spanID)
            #expect(caller.parentSpanID == nil)
            #expect(Set(fixture.spans.map(\.traceID)).count == 1)
            #expect(outer.texts == ["number": "5", "value": "1"])
            #expect(outer.startInstant.nanosecondsSinceEpoch <= outer.endInstant.nanosecondsSinceEpoch)
            fixture.stop()
        }

        @Test("A failure and a disposal end a span")
        func ends() throws {
            let fixture = try TracingFixture(.dispatch)
            Signal<Int, Broken>.fail(.bad).traced("failing", by: fixture.tracer)
                .subscribe(onValue: { _ in }, onTermination: { _ in })
            let failing = try fixture.span("failing")
            #expect(failing.hasFailed && failing.errors.count == 1)
            let subscription = Signal<Int, Never>.never.traced("disposed", by: fixture.tracer).subscribe()
            #expect(!fixture.spans.contains { $0.operationName == "disposed" })
            subscription.dispose()
            #expect(try fixture.span("disposed").status == nil)
            fixture.stop()
        }

        @Test("A command's spans belong to the callers, also if executions wait")
        func commands() throws {
            let fixture = try TracingFixture(.dispatch)
            let tracer = fixture.tracer
            let source = Subject<Int, Never>()
            let command = Command<Int, Int, Never>(.queue(limit: 4)) { _ in
                source.signal.take(1).traced("operator", by: tracer)
            }.traced("work", by: tracer)
            let callers = ["a", "b"].map { tracer.startSpan($0) }
            for caller in callers { ServiceContext.withValue(caller.context) { _ = command.execute(1) } }
            source.send(1)
            source.send(2)
            for caller in callers { caller.end() }
            for name in ["a", "b"] {
                let caller = try fixture.span(name)
                let work = try fixture.span("work") { $0.traceID == caller.traceID }
                #expect(work.parentSpanID == caller.spanID)
                #expect(try fixture.span("operator") { $0.traceID == caller.traceID }.parentSpanID == work.spanID)
            }
            fixture.stop()
        }

        @Test("A request is one trace from the client through the server", arguments: LoopKind.all)
        func requests(_ kind: LoopKind) throws {
            let fixture = try TracingFixture(kind)
            let tracer = fixture.tracer
            let inner = HTTPService.paths([
                "/ok": .function { _ in .ok("yes") },
                "/slow": .signal { _ in
                    Signal<Void, HTTPError>.timer(after: .milliseconds(1), on: fixture.loop)
                        .flatMap {
                            Signal<HTTPResponseMessage, HTTPError>.just(.ok("late")).traced("inside", by: tracer)
                        }
                        .propagating(ServiceContext.$current)
                },
                "/bad": .signal { _ in Signal<HTTPResponseMessage, HTTPError>.fail(HTTPError(.serviceFailed, "no")) },
            ])
            let server = try HTTPServer(
                on: .loopback(port: 0),
                loops: LoopGroup(fixture.loop),
                service: inner.traced(by: tracer)
            )
            for (path, status) in [("/ok", 200), ("/slow", 200), ("/bad", 500)] {
                let answered = Box(0)
                fixture.client.send(.get("http://\(server.localAddress)\(path)?secret"), tracedBy: tracer).subscribe(
                    onValue: { response in answered.value = response.head.status.code },
                    onTermination: { _ in }
                )
                try waitUntil("a response") { answered.value != 0 }
                #expect(answered.value == status)
                let service = try fixture.span("GET") { $0.kind == .server && $0.texts["url.path"] == path }
                let client = try fixture.span("GET") { $0.kind == .client && $0.spanID == service.parentSpanID }
                #expect(service.traceID == client.traceID)
                #expect(client.texts["http.response.status_code"] == "\(status)")
                #expect(client.hasFailed == (status == 500))
                #expect(service.hasFailed == (status == 500))
                if path == "/slow" {
                    #expect(try fixture.span("inside").parentSpanID == service.spanID)
                }
            }
            fixture.stop()
        }

        @Test("A tracer reads a repeated header field as a list, but a repeated `traceparent` not at all")
        func repeatedFields() throws {
            var fields = HTTPFields()
            let carrier = FieldsCarrier<HTTPFields>()
            for name in ["traceparent", "tracestate"] {
                let field = try #require(HTTPField.Name(name))
                #expect(carrier.extract(key: name, from: fields) == nil)
                carrier.inject("a", forKey: name, into: &fields)
                #expect(carrier.extract(key: name, from: fields) == "a")
                fields.append(HTTPField(name: field, value: "b"))
            }
            #expect(carrier.extract(key: "traceparent", from: fields) == nil)
            #expect(carrier.extract(key: "tracestate", from: fields) == "a,b")
            #expect(carrier.extract(key: "no name", from: fields) == nil)
        }

        @Test("A connection has a span", arguments: LoopKind.all)
        func connections(_ kind: LoopKind) throws {
            let fixture = try TracingFixture(kind)
            let server = try Server(on: .loopback(port: 0), loops: LoopGroup(fixture.loop)) { connection in
                connection.send(from: connection.received)
            }
            server.trace(by: fixture.tracer)
            let peer = try RawPeer(to: server.localAddress)
            try peer.sendAll(Array("hello".utf8)) { isDone in try waitUntil("room", isDone) }
            peer.finish()
            _ = try peer.receiveToEnd { isDone in try waitUntil("the echo", isDone) }
            let span = try fixture.span("connection")
            #expect(span.texts["network.bytes.received"] == "5")
            #expect(span.texts["network.bytes.sent"] == "5")
            #expect(span.kind == .server)
            fixture.stop()
        }
    }
#endif
