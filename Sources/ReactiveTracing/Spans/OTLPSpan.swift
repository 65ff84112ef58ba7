// SPDX-License-Identifier: MIT
#if Tracing
    import ReactiveSupport
    public import Tracing

    /// A span of an ``OTLPTracer``. Any thread may use it. After its end, and if its trace is not sampled, changes have
    /// no effect.
    public final class OTLPSpan: Tracing.Span {
        private enum State: Sendable {
            case recording(SpanRecord, SpanExporter)
            /// The trace is not sampled, or the span has ended.
            case silent(name: String)
        }

        /// The context of operations inside of the span. Its `traceContext` has
        /// the number of the span.
        public let context: ServiceContext
        private let state: Lock<State>

        init(_ record: SpanRecord, _ context: ServiceContext, _ exporter: SpanExporter) {
            self.context = context
            state = Lock(record.context.isSampled ? .recording(record, exporter) : .silent(name: record.name))
        }

        /// The name of the operation.
        public var operationName: String {
            get {
                state.withLock { state in
                    switch state {
                    case .recording(let record, _): record.name
                    case .silent(let name): name
                    }
                }
            }
            set { change { $0.name = newValue } }
        }

        /// The attributes. At most 128 are exported, and at most 1,024 bytes of each text.
        public var attributes: SpanAttributes {
            get {
                state.withLock { state in if case .recording(let record, _) = state { record.attributes } else { [:] } }
            }
            set { change { $0.attributes = newValue } }
        }

        /// Whether changes have an effect.
        public var isRecording: Bool {
            state.withLock { state in if case .recording = state { true } else { false } }
        }

        /// Sets the status. The last call counts.
        public func setStatus(_ status: SpanStatus) { change { $0.status = status } }

        /// Adds an event. At most 128 are exported.
        public func addEvent(_ event: SpanEvent) { change { $0.add(event) } }

        /// Adds an event named `exception`, with the type and the description of the error.
        public func recordError<Instant: TracerInstant>(
            _ error: any Error,
            attributes: SpanAttributes,
            at instant: @autoclosure () -> Instant
        ) {
            var all: SpanAttributes = [
                "exception.type": .string("\(type(of: error))"), "exception.message": .string("\(error)"),
            ]
            all.merge(attributes)
            addEvent(SpanEvent(name: "exception", at: instant(), attributes: all))
        }

        /// Adds a link to another span. At most 128 are exported.
        public func addLink(_ link: SpanLink) { change { $0.add(link) } }

        /// Ends the span and passes it to the exporter. Later calls do nothing.
        public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
            let last = state.withLock { state -> State in
                let last = state
                if case .recording(let record, _) = last { state = .silent(name: record.name) }
                return last
            }
            guard case .recording(var record, let exporter) = last else { return }
            record.end = instant().nanosecondsSinceEpoch
            exporter.add(record.encoded())
        }

        /// Changes the record. The old contents are released outside the lock, because attributes may be objects of the
        /// program (law 3).
        private func change(_ body: (inout SpanRecord) -> Void) {
            let old = state.withLock { state -> State? in
                guard case .recording(var record, let exporter) = state else { return nil }
                let old = state
                body(&record)
                state = .recording(record, exporter)
                return old
            }
            withExtendedLifetime(old) {}
        }
    }
#endif
