// SPDX-License-Identifier: MIT
#if Tracing
    package import InMemoryTracing
    package import LoopTestSupport
    package import ReactiveCore
    package import ReactiveHTTP
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Tracing

    /// A tracer that keeps spans in memory, and a loop and a client for what is traced. The loop owns a thread.
    package final class TracingFixture: Sendable {
        package let loop: any LoopScheduler
        package let client: HTTPClient
        package let tracer = InMemoryTracer()

        package init(_ kind: LoopKind) throws {
            loop = try kind.make(name: "traced", thread: .owned)
            client = HTTPClient(loops: LoopGroup(loop))
        }

        /// The spans that have ended, in this order.
        package var spans: [FinishedInMemorySpan] { tracer.finishedSpans }

        /// Waits for the end of a span with this name.
        package func span(
            _ name: String,
            where matches: (FinishedInMemorySpan) -> Bool = { _ in true }
        ) throws -> FinishedInMemorySpan {
            func find() -> FinishedInMemorySpan? { spans.first { $0.operationName == name && matches($0) } }
            try waitUntil("a span named \(name)") { find() != nil }
            guard let span = find() else { throw TimeLimitExceeded(description: "no span named \(name)") }
            return span
        }

        package func stop() {
            client.stop()
            loop.dispose()
        }
    }

    extension FinishedInMemorySpan {
        /// The attributes that are texts or numbers, as texts.
        package var texts: [String: String] {
            var texts: [String: String] = [:]
            attributes.forEach { name, value in
                switch value {
                case .string(let text): texts[name] = text
                case .stringConvertible(let value): texts[name] = "\(value)"
                case .int32(let number): texts[name] = "\(number)"
                case .int64(let number): texts[name] = "\(number)"
                default: break
                }
            }
            return texts
        }

        package var hasFailed: Bool { status?.code == .error }
    }
#endif
