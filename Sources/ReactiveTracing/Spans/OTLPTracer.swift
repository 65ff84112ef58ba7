// SPDX-License-Identifier: MIT
#if Tracing
    public import Tracing

    /// A tracer of swift-distributed-tracing that exports spans with the OpenTelemetry protocol (OTLP).
    ///
    /// Pass it to the operators of this module, or install it for all libraries of the process:
    /// `InstrumentationSystem.bootstrap(tracer)`. It carries contexts in the headers `traceparent` and `tracestate`.
    /// Any thread may use it.
    public final class OTLPTracer: Tracer {
        /// Sends the spans.
        public let exporter: SpanExporter
        /// The part of the traces that begin here and are sampled, from 0 to 1. A trace that began elsewhere keeps the
        /// decision of its caller.
        public let samplingRatio: Double

        /// Creates a tracer.
        ///
        /// - Parameters:
        ///   - exporter: Sends the spans.
        ///   - samplingRatio: The part of the traces that begin here and are sampled. Values outside 0...1 are clamped,
        ///     and NaN counts as 0.
        public init(_ exporter: SpanExporter, samplingRatio: Double = 1) {
            self.exporter = exporter
            self.samplingRatio = samplingRatio > 0 ? min(samplingRatio, 1) : 0
        }

        /// Starts a span inside of the one in `context`. Without one, a new trace begins.
        public func startSpan<Instant: TracerInstant>(
            _ operationName: String,
            context: @autoclosure () -> ServiceContext,
            ofKind kind: SpanKind,
            at instant: @autoclosure () -> Instant,
            function: String,
            file fileID: String,
            line: UInt
        ) -> OTLPSpan {
            var context = context()
            let parent = context.traceContext
            let own = parent?.child() ?? TraceContext(isSampled: Double.random(in: 0..<1) < samplingRatio)
            context.traceContext = own
            let record = SpanRecord(
                context: own,
                parent: parent?.spanID,
                kind: kind,
                start: instant().nanosecondsSinceEpoch,
                name: operationName
            )
            return OTLPSpan(record, context, exporter)
        }

        /// Starts to send the spans that wait, and returns.
        public func forceFlush() { exporter.flush() }

        /// Reads the headers `traceparent` and `tracestate`. Invalid ones leave the context unchanged.
        public func extract<Carrier, Extract: Extractor>(
            _ carrier: Carrier,
            into context: inout ServiceContext,
            using extractor: Extract
        ) where Extract.Carrier == Carrier {
            guard let parent = extractor.extract(key: "traceparent", from: carrier) else { return }
            let state = extractor.extract(key: "tracestate", from: carrier)
            if let parsed = TraceContext(traceparent: parent, tracestate: state) { context.traceContext = parsed }
        }

        /// Writes the headers `traceparent` and `tracestate`. Without a trace, writes nothing.
        public func inject<Carrier, Inject: Injector>(
            _ context: ServiceContext,
            into carrier: inout Carrier,
            using injector: Inject
        ) where Inject.Carrier == Carrier {
            guard let own = context.traceContext else { return }
            injector.inject(own.traceparent, forKey: "traceparent", into: &carrier)
            let state = own.state.header
            if !state.isEmpty { injector.inject(state, forKey: "tracestate", into: &carrier) }
        }
    }

    extension ServiceContext {
        private enum Key: ServiceContextKey {
            typealias Value = TraceContext

            static var nameOverride: String? { "trace-context" }
        }

        /// The position in a trace of an ``OTLPTracer``, or `nil` if the context belongs to none.
        public var traceContext: TraceContext? {
            get { self[Key.self] }
            set { self[Key.self] = newValue }
        }
    }
#endif
