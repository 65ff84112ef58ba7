// SPDX-License-Identifier: MIT
#if NATS && Tracing
    import HTTPTypes
    import InMemoryTracing
    import LoopTestSupport
    import ReactiveCommands
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTracing
    import SchedulerConformance
    import SchedulerEngine
    import Testing
    import Tracing
    import TracingTestSupport

    extension NATSTests {
        /// A trace through everything that may lose it.
        @Suite struct TracingTests {
            /// An HTTP client → a server → a command → `observe(on:)` → `debounce` → a NATS request → another NATS client
            /// that answers, and back.
            @Test(
                "A trace from an HTTP request through a command, hops, timers and NATS is one tree",
                arguments: LoopKind.all
            )
            func oneTree(_ kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let (asking, answering) = (try await bench.client(), try await bench.client())
                    let fixture = try TracingFixture(kind)
                    let tracer = fixture.tracer
                    let other = try kind.make(name: "other", thread: .owned)
                    answering.subscribe("double").subscribe(
                        onValue: { message in
                            answering.answer(message, with: Bytes("2\(message.payload)"))
                                .traced("answer", ofKind: .consumer, in: message.serviceContext(by: tracer), by: tracer)
                                .subscribe(onTermination: { _ in })
                        },
                        onTermination: { _ in }
                    )
                    _ = try await answering.flush().last()
                    let service = Self.service(asking, other, tracer)
                    let server = try HTTPServer(
                        on: .loopback(port: 0),
                        loops: LoopGroup(fixture.loop),
                        service: service
                    )
                    // Several requests at a time, so that a context in the wrong place would be noticed.
                    let count = 8
                    let texts = Box<[String]>([])
                    for number in 0..<count {
                        fixture.client.send(.get("http://\(server.localAddress)/\(number)"), tracedBy: tracer)
                            .flatMap { $0.body.bytes() }
                            .subscribe(
                                onValue: { bytes in texts.update { $0.append("\(bytes)") } },
                                onTermination: { _ in }
                            )
                    }
                    try await eventually("the responses") { texts.value.count == count }
                    #expect(Set(texts.value) == Set((0..<count).map { "2/\($0)" }))
                    try await eventually("the spans") { fixture.spans.count == 6 * count }
                    let trees = Dictionary(grouping: fixture.spans, by: \.traceID).values.map { Self.tree($0) }
                    #expect(trees == Array(repeating: "GET(GET(double request(answer),lookup,reply))", count: count))
                    fixture.stop()
                    other.dispose()
                    withExtendedLifetime((asking, answering)) {}
                }
            }

            /// Answers with the reply of `nats` to the path.
            private static func service(
                _ nats: NATSClient,
                _ loop: any LoopScheduler,
                _ tracer: InMemoryTracer
            ) -> HTTPService {
                let pool = WorkerPool(maximumThreads: 1)
                let lookup = Command<HTTPRequestMessage, String, HTTPError>(.queue(limit: 100)) { request in
                    Signal.timer(after: .milliseconds(1), on: loop).map { request.head.path ?? "" }
                }.traced("lookup", by: tracer)
                return HTTPService.signal { request -> Signal<HTTPResponseMessage, any Error> in
                    lookup.apply(request).mapError { $0 as any Error }
                        .observe(on: pool)
                        .debounce(.milliseconds(1), on: loop)
                        .flatMap { path in
                            nats.request(
                                NATSMessage(Bytes(path), to: "double"),
                                timeout: .seconds(600),
                                tracedBy: tracer
                            )
                            .mapError { $0 as any Error }
                        }
                        .flatMap { reply in
                            Signal<HTTPResponseMessage, any Error>.just(.ok(reply.payload)).traced("reply", by: tracer)
                        }
                        .propagating(ServiceContext.$current)
                }.traced(by: tracer)
            }

            /// The names of the spans as a tree. Spans without a parent stand side by side.
            private static func tree(_ spans: [FinishedInMemorySpan]) -> String {
                func below(_ parent: String?) -> String {
                    let children = spans.filter { $0.parentSpanID == parent }.map { span in
                        let inner = below(span.spanID)
                        return inner.isEmpty ? span.operationName : "\(span.operationName)(\(inner))"
                    }
                    return children.sorted().joined(separator: ",")
                }
                return below(nil)
            }
        }
    }
#endif
