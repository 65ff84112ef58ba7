// SPDX-License-Identifier: MIT
#if Tracing
    import ReactiveCore
    public import ReactiveSignals
    public import ReactiveSockets
    public import Tracing

    extension Server {
        /// Records a span for each connection when it ends, until the server has stopped or the result is disposed.
        ///
        /// A connection begins a trace of its own, named `connection`. The attributes are the peer's address and the
        /// numbers of bytes. Releasing the result does not end the recording. The tracer is called on the server's loops.
        ///
        /// - Parameter tracer: Starts the spans.
        /// - Returns: The subscription that ends the recording when it is disposed.
        @discardableResult
        public func trace(by tracer: any Tracer = InstrumentationSystem.tracer) -> SignalSubscription {
            events.subscribe(onValue: { event in
                guard case .ended(let connection, let summary) = event else { return }
                let end = DefaultTracerClock.now.nanosecondsSinceEpoch
                let length = UInt64(clamping: summary.duration.saturatedNanoseconds)
                let start = DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: end > length ? end - length : 0)
                let span: any Tracing.Span = tracer.startSpan(
                    "connection",
                    context: .topLevel,
                    ofKind: .server,
                    at: start
                )
                span.updateAttributes { attributes in
                    attributes["network.peer.address"] = connection.remoteAddress.map(\.description) ?? "unknown"
                    attributes["network.bytes.received"] = summary.received
                    attributes["network.bytes.sent"] = summary.sent
                }
                if let failure = summary.failure {
                    span.recordError(failure)
                    span.setStatus(SpanStatus(code: .error, message: "\(failure)"))
                }
                span.end()
            })
        }
    }
#endif
