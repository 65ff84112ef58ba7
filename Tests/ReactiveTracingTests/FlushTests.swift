// SPDX-License-Identifier: MIT
#if Tracing
    import HTTPTypes
    import LoopTestSupport
    import ReactiveCore
    import ReactiveHTTP
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveTracing
    import SchedulerConformance
    import SchedulerEngine
    import Testing
    import Tracing
    import TracingTestSupport

    /// An exporter and a collector on one loop, which the test runs turn by turn. The test answers each request.
    private final class PatientCollector {
        private typealias Request = (names: [String], answer: Subject<HTTPResponseMessage, HTTPError>)

        let loop: any LoopScheduler
        let exporter: SpanExporter
        private let client: HTTPClient
        private let server: HTTPServer
        private let tracer: OTLPTracer
        private let requests = Recorder<Request>()

        init(_ kind: LoopKind, batch: Int) throws {
            loop = try kind.make()
            client = HTTPClient(loops: LoopGroup(loop))
            let requests = requests
            server = try HTTPServer(
                on: .loopback(port: 0),
                loops: LoopGroup(loop),
                service: .signal { request in
                    request.body.bytes(limit: 1024 * 1024)
                        .flatMap { bytes -> Signal<HTTPResponseMessage, HTTPError> in
                            let answer = Subject<HTTPResponseMessage, HTTPError>()
                            requests.append((ReceivedSpan.all(in: bytes)?.map(\.name) ?? [], answer))
                            return answer.signal.take(1)
                        }
                }
            )
            var limits = SpanExporterLimits()
            limits.batch = batch
            limits.delay = .seconds(3600)
            limits.timeout = .seconds(3600)
            exporter = SpanExporter(
                to: "http://\(server.localAddress)/v1/traces",
                client: client,
                service: "test",
                limits: limits
            )
            tracer = OTLPTracer(exporter)
        }

        deinit {
            server.stop()
            client.stop()
            loop.dispose()
        }

        /// The names of the spans in each request so far.
        var names: [[String]] { requests.values.map(\.names) }

        func add(_ names: String...) {
            for name in names { tracer.startSpan(name).end() }
        }

        /// Begins a flush. The latch opens when it completes.
        func flush() -> Latch {
            let latch = Latch()
            exporter.flush().subscribe(onTermination: { _ in latch.arrive() })
            return latch
        }

        /// Runs turns until this number of requests has arrived.
        func receive(_ count: Int) throws { try loop.turns { requests.count == count } }

        /// Answers the last request, and runs turns until the exporter has counted this number of spans.
        func answer(_ status: Int = 200, settling count: Int) throws {
            let answer = try #require(requests.values.last?.answer)
            loop.execute { answer.send(.response(HTTPResponse.Status(code: status))) }
            try loop.turns { exporter.statistics.sent + exporter.statistics.failed == count }
        }
    }

    /// Flushes while other spans are added.
    @Suite struct FlushTests {
        @Test("A flush completes although spans that were added later still wait", arguments: LoopKind.all)
        func later(_ kind: LoopKind) throws {
            let collector = try PatientCollector(kind, batch: 2)
            collector.add("a", "b", "c")
            let flushed = collector.flush()
            try collector.receive(1)
            collector.add("d", "e")
            try collector.answer(settling: 2)
            #expect(!flushed.isOpen)
            try collector.receive(2)
            #expect(!flushed.isOpen)
            try collector.answer(settling: 4)
            #expect(flushed.isOpen)
            #expect(collector.names == [["a", "b"], ["c", "d"]])
        }

        @Test(
            "Each flush completes after the spans before it, also if the collector refuses them",
            arguments: [200, 400]
        )
        func several(_ status: Int) throws {
            let collector = try PatientCollector(.dispatch, batch: 1)
            collector.add("a")
            try collector.receive(1)
            let first = collector.flush()
            collector.add("b")
            let second = collector.flush()
            try collector.answer(status, settling: 1)
            #expect(first.isOpen)
            #expect(!second.isOpen)
            try collector.receive(2)
            collector.add("c")
            try collector.answer(status, settling: 2)
            #expect(second.isOpen)
            try collector.receive(3)
            #expect(collector.names == [["a"], ["b"], ["c"]])
        }
    }
#endif
