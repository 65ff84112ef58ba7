// SPDX-License-Identifier: MIT
#if Tracing && NATS
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCommands
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTracing
    import SchedulerConformance
    import Testing
    import Tracing

    // The snippets of Docs/Tracing.md and of the DocC catalogue.

    private enum Request {
        @TaskLocal static var id = "none"
    }

    private let printed = Recorder<String>()

    /// Takes the place of the standard library's function, so that a test can read what a snippet prints.
    private func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

    private func propagate(_ words: Signal<String, Never>, _ loop: any LoopScheduler) {
        Request.$id.withValue("42") {
            words
                .debounce(.milliseconds(10), on: loop)
                .map { "\(Request.id): \($0)" }
                .propagating(Request.$id)
                .subscribe(onValue: { print($0) })  // Prints "42: hello", on the loop.
        }
    }

    private func serve(
        _ loops: LoopGroup,
        _ nats: NATSClient,
        _ find: Command<HTTPRequestMessage, String, NATSError>
    ) throws -> HTTPServer {
        let tracer = InstrumentationSystem.tracer
        let lookup = find.traced("lookup", by: tracer)
        let service = HTTPService.signal { request in
            lookup.apply(request).mapError { $0 as any Error }
                .flatMap { key in
                    nats.request(NATSMessage(Bytes(key), to: "prices"), tracedBy: tracer).mapError { $0 as any Error }
                }
                .map { HTTPResponseMessage.ok($0.payload) }
                .propagating(ServiceContext.$current)
        }
        return try HTTPServer(on: .loopback(port: 0), loops: loops, service: service.traced(by: tracer))
    }

    private func answer(_ nats: NATSClient, _ tracer: any Tracer) {
        nats.subscribe("prices").subscribe(
            onValue: { message in
                nats.answer(message, with: "9.99")
                    .traced("price", ofKind: .consumer, in: message.serviceContext(by: tracer), by: tracer)
                    .subscribe(onTermination: { _ in })
            },
            onTermination: { _ in }
        )
    }

    private func carry(_ request: HTTPRequestMessage) -> NATSMessage {
        var message = NATSMessage("", to: "prices")
        message.headers.traceContext = request.head.headerFields.traceContext?.child()
        return message
    }

    @Suite struct DocsTracing {
        @Test func valuesArePropagated() throws {
            let words = Subject<String, Never>()
            let loop = try LoopKind.dispatch.make()
            propagate(words.signal, loop)
            words.send("hello")
            try loop.turns { printed.count > 0 }
            #expect(printed.values == ["42: hello"])
            loop.dispose()
        }
    }
#endif
