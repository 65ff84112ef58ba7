// SPDX-License-Identifier: MIT
#if Tracing
    import HTTPTypes
    public import ReactiveHTTP
    public import ReactiveSignals
    import ReactiveSockets
    public import Tracing

    extension HTTPService {
        /// Returns a service that records a span for each request, as part of the caller's trace.
        ///
        /// The span ends when the service has answered. It does not include sending the body of the response. The
        /// service sees the span in `ServiceContext.current`. A service of `HTTPService.signal(_:)` that changes threads
        /// keeps it with `propagating(ServiceContext.$current)`.
        ///
        /// The name of the span is the method. For a method that RFC 9110 and RFC 5789 do not define, it is `HTTP`, and
        /// the attribute `http.request.method` is `_OTHER` (semantic conventions of OpenTelemetry).
        ///
        /// - Parameter tracer: Starts the spans, and reads the header fields of the trace.
        public func traced(by tracer: any Tracer = InstrumentationSystem.tracer) -> HTTPService {
            .signal { request in
                var context = ServiceContext.topLevel
                tracer.extract(request.head.headerFields, into: &context, using: FieldsCarrier())
                // A client may send any token as its method, and a span's name should have few different values.
                let method = knownMethods.contains(request.head.method) ? request.head.method.rawValue : nil
                var attributes: SpanAttributes = [
                    "http.request.method": .string(method ?? "_OTHER"),
                    "url.scheme": .string(request.head.scheme ?? "http"),
                    "url.path": .string(String((request.head.path ?? "").prefix { $0 != "?" })),
                ]
                if let address = request.peer?.address { attributes["network.peer.address"] = "\(address)" }
                return responses(to: request).traced(
                    method ?? "HTTP",
                    ofKind: .server,
                    in: context,
                    by: tracer,
                    attributes: attributes,
                    onValue: { response, span in note(response, in: span, failsFrom: 500) }
                )
            }
        }
    }

    extension HTTPClient {
        /// Sends a request, and records a span. The request carries the trace in the header fields `traceparent` and
        /// `tracestate`. The other rules are those of `send(_:)`.
        ///
        /// The span ends when the head of the response has been delivered.
        ///
        /// - Parameters:
        ///   - request: The request.
        ///   - tracer: Starts the span, and writes the header fields.
        public func send(
            _ request: HTTPRequestMessage,
            tracedBy tracer: any Tracer
        ) -> Signal<HTTPResponseMessage, HTTPError> {
            let sending = Signal<HTTPResponseMessage, HTTPError>.deferred {
                var request = request
                // Runs inside of the span.
                if let context = ServiceContext.current {
                    tracer.inject(context, into: &request.head.headerFields, using: FieldsCarrier())
                }
                return self.send(request)
            }
            return sending.traced(
                request.head.method.rawValue,
                ofKind: .client,
                by: tracer,
                attributes: [
                    "http.request.method": .string(request.head.method.rawValue),
                    "server.address": .string(request.head.authority ?? ""),
                ],
                onValue: { response, span in note(response, in: span, failsFrom: 400) }
            )
        }
    }

    private let knownMethods: Set<HTTPRequest.Method> = [
        .connect, .delete, .get, .head, .options, .patch, .post, .put, .trace,
    ]

    /// Records the status of a response. Statuses from `limit` on are errors.
    private func note(_ response: HTTPResponseMessage, in span: any Tracing.Span, failsFrom limit: Int) {
        let code = response.head.status.code
        span.updateAttributes { $0["http.response.status_code"] = code }
        if code >= limit { span.setStatus(SpanStatus(code: .error)) }
    }
#endif
