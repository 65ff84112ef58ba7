// SPDX-License-Identifier: MIT
#if Tracing
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCommands
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTracing
    import SchedulerConformance
    import Testing
    import Tracing
    import TracingTestSupport

    private enum Broken: Error {
        case bad
    }

    /// Spans of signals, commands, requests and connections.
    @Suite struct TracedTests {
        @Test("A signal's span contains the spans before it, and not those after it", arguments: LoopKind.all)
        func nesting(_ kind: LoopKind) throws {
            let collector = try Collector(kind)
            let tracer = collector.tracer
            let source = Signal<Void, Never>.timer(after: .milliseconds(1), on: collector.loop)
            let span = tracer.startSpan("caller")
            let isOver = Box(false)
            ServiceContext.withValue(span.context) {
                _ = source.flatMap { _ in Signal<Int, Never>.just(1).traced("inner", by: tracer) }
                    .observe(on: collector.loop)
                    .traced("outer", by: tracer, attributes: ["number": 5]) { value, span in
                        span.attributes["value"] = value
                    }
                    .flatMap { Signal<Int, Never>.just($0).traced("sibling", by: tracer) }
                    .subscribe(onValue: { (_: Int) in }, onTermination: { _ in isOver.value = true })
            }
            try waitUntil("the end") { isOver.value }
            span.end()
            let (caller, outer) = (try collector.span("caller"), try collector.span("outer"))
            #expect(try collector.span("inner").parentID == outer.spanID)
            #expect(outer.parentID == caller.spanID)
            #expect(try collector.span("sibling").parentID == caller.spanID)
            #expect(caller.parentID == "")
            #expect(Set(collector.spans.map(\.traceID)).count == 1)
            #expect(outer.attributes == ["number": "5", "value": "1"])
            #expect(outer.service == "test")
            #expect(outer.start <= outer.end)
            collector.stop()
        }

        @Test("A failure and a disposal end a span")
        func ends() throws {
            let collector = try Collector(.dispatch)
            Signal<Int, Broken>.fail(.bad).traced("failing", by: collector.tracer)
                .subscribe(onValue: { _ in }, onTermination: { _ in })
            let failing = try collector.span("failing")
            #expect(failing.status == 2)
            #expect(failing.events == ["exception"])
            let subscription = Signal<Int, Never>.never.traced("disposed", by: collector.tracer).subscribe()
            #expect(!collector.spans.contains { $0.name == "disposed" })
            subscription.dispose()
            #expect(try collector.span("disposed").status == 0)
            collector.stop()
        }

        @Test("A command's spans belong to the callers, also if executions wait")
        func commands() throws {
            let collector = try Collector(.dispatch)
            let tracer = collector.tracer
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
                let caller = try collector.span(name)
                let work = try collector.span("work") { $0.traceID == caller.traceID }
                #expect(work.parentID == caller.spanID)
                #expect(try collector.span("operator") { $0.traceID == caller.traceID }.parentID == work.spanID)
            }
            collector.stop()
        }

        @Test("A request is one trace from the client through the server", arguments: LoopKind.all)
        func requests(_ kind: LoopKind) throws {
            let collector = try Collector(kind)
            let tracer = collector.tracer
            let inner = HTTPService.paths([
                "/ok": .function { _ in .ok("yes") },
                "/slow": .signal { _ in
                    Signal<Void, HTTPError>.timer(after: .milliseconds(1), on: collector.loop)
                        .flatMap {
                            Signal<HTTPResponseMessage, HTTPError>.just(.ok("late")).traced("inside", by: tracer)
                        }
                        .propagating(ServiceContext.$current)
                },
                "/bad": .signal { _ in Signal<HTTPResponseMessage, HTTPError>.fail(HTTPError(.serviceFailed, "no")) },
            ])
            let server = try HTTPServer(
                on: .loopback(port: 0),
                loops: LoopGroup(collector.loop),
                service: inner.traced(by: tracer)
            )
            for (path, status) in [("/ok", 200), ("/slow", 200), ("/bad", 500)] {
                let answered = Box(0)
                collector.client.send(.get("http://\(server.localAddress)\(path)?secret"), tracedBy: tracer).subscribe(
                    onValue: { response in answered.value = response.head.status.code },
                    onTermination: { _ in }
                )
                try waitUntil("a response") { answered.value != 0 }
                #expect(answered.value == status)
                let service = try collector.span("GET") { $0.kind == 2 && $0.attributes["url.path"] == path }
                let client = try collector.span("GET") { $0.kind == 3 && $0.spanID == service.parentID }
                #expect(service.traceID == client.traceID)
                #expect(client.attributes["http.response.status_code"] == "\(status)")
                #expect(client.status == (status == 200 ? 0 : 2))
                #expect(service.status == (status == 200 ? 0 : 2))
                if path == "/slow" {
                    #expect(try collector.span("inside").parentID == service.spanID)
                }
            }
            collector.stop()
        }

        @Test("An invalid header begins a new trace, and an unsampled one records nothing")
        func headers() throws {
            let collector = try Collector(.dispatch)
            let tracer = collector.tracer
            let contexts = Box<[TraceContext?]>([])
            let service = HTTPService.function { _ in
                contexts.update { $0.append(ServiceContext.current?.traceContext) }
                return .ok("")
            }.traced(by: tracer)
            let server = try HTTPServer(on: .loopback(port: 0), loops: LoopGroup(collector.loop), service: service)
            let name = try #require(HTTPField.Name("traceparent"))
            let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"
            for header in ["\(parent)-00", "nonsense", "\(parent)-01"] {
                var request = HTTPRequestMessage.get("http://\(server.localAddress)/")
                request.head.headerFields[name] = header
                let count = contexts.value.count
                collector.client.send(request).subscribe(onValue: { _ in }, onTermination: { _ in })
                try waitUntil("a request") { contexts.value.count > count }
            }
            let seen = contexts.value.compactMap(\.self)
            #expect(seen.map(\.isSampled) == [false, true, true])
            #expect(seen.map { $0.traceID.description.hasPrefix("0af7") } == [true, false, true])
            let last = try collector.span("GET") { $0.traceID == seen[2].traceID.description }
            #expect(last.parentID == "b7ad6b7169203331")
            #expect(collector.spans.count <= 2)
            collector.stop()
        }

        @Test("A connection has a span", arguments: LoopKind.all)
        func connections(_ kind: LoopKind) throws {
            let collector = try Collector(kind)
            let server = try Server(on: .loopback(port: 0), loops: LoopGroup(collector.loop)) { connection in
                connection.send(from: connection.received)
            }
            server.trace(by: collector.tracer)
            let peer = try RawPeer(to: server.localAddress)
            try peer.sendAll(Array("hello".utf8)) { isDone in try waitUntil("room", isDone) }
            peer.finish()
            _ = try peer.receiveToEnd { isDone in try waitUntil("the echo", isDone) }
            let span = try collector.span("connection")
            #expect(span.attributes["network.bytes.received"] == "5")
            #expect(span.attributes["network.bytes.sent"] == "5")
            #expect(span.kind == 2)
            collector.stop()
        }
    }
#endif
