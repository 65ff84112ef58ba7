// SPDX-License-Identifier: MIT
#if Tracing
    import HTTPTypes
    package import LoopTestSupport
    package import ReactiveCore
    package import ReactiveHTTP
    import ReactiveSignals
    package import ReactiveSockets
    package import ReactiveTracing
    import SchedulerConformance
    import SchedulerEngine

    /// A collector that receives spans, with a tracer that sends to it. Its loop owns a thread.
    package final class Collector: Sendable {
        package let loop: any LoopScheduler
        package let client: HTTPClient
        package let tracer: OTLPTracer
        package let server: HTTPServer
        private let received = Box<[Bytes]>([])
        private let answers: Box<[Int]>

        /// - Parameters:
        ///   - answers: The statuses of the first responses. Later ones are 200.
        ///   - change: Changes the limits.
        package init(
            _ kind: LoopKind,
            answering answers: [Int] = [],
            samplingRatio: Double = 1,
            _ change: (inout SpanExporterLimits) -> Void = { _ in }
        ) throws {
            loop = try kind.make(name: "collector", thread: .owned)
            client = HTTPClient(loops: LoopGroup(loop))
            let (received, rest) = (received, Box(answers))
            self.answers = rest
            server = try HTTPServer(
                on: .loopback(port: 0),
                loops: LoopGroup(loop),
                service: .signal { request in
                    request.body.bytes(limit: 64 * 1024 * 1024).map { bytes in
                        let status = rest.update { $0.isEmpty ? 200 : $0.removeFirst() }
                        if status == 200 { received.update { $0.append(bytes) } }
                        return .response(HTTPResponse.Status(code: status))
                    }
                }
            )
            var limits = SpanExporterLimits()
            limits.delay = .milliseconds(20)
            limits.timeout = .seconds(600)
            limits.backoff.first = .milliseconds(1)
            change(&limits)
            let exporter = SpanExporter(
                to: "http://\(server.localAddress)/v1/traces",
                client: client,
                service: "test",
                attributes: ["service.version": "1"],
                limits: limits
            )
            tracer = OTLPTracer(exporter, samplingRatio: samplingRatio)
        }

        /// The requests so far.
        package var requests: [Bytes] { received.value }

        /// The spans so far.
        package var spans: [ReceivedSpan] { requests.flatMap { ReceivedSpan.all(in: $0) ?? [] } }

        /// Waits for the span with this name.
        package func span(_ name: String, where matches: (ReceivedSpan) -> Bool = { _ in true }) throws -> ReceivedSpan
        {
            func find() -> ReceivedSpan? { spans.first { $0.name == name && matches($0) } }
            try waitUntil("a span named \(name)") { find() != nil }
            guard let span = find() else { throw TimeLimitExceeded(description: "no span named \(name)") }
            return span
        }

        package func stop() {
            server.stop()
            client.stop()
            loop.dispose()
        }
    }
#endif
