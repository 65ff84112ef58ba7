// SPDX-License-Identifier: MIT
#if Tracing && NATS
    public import ReactiveNATS
    public import ReactiveSignals
    public import Tracing

    extension NATSClient {
        /// Sends a request, and records a span until the reply arrives. The message carries the trace in the headers
        /// `traceparent` and `tracestate`. The other rules are those of `request(_:timeout:)`.
        ///
        /// - Parameters:
        ///   - message: The request.
        ///   - timeout: The time limit.
        ///   - tracer: Starts the span, and writes the headers.
        public func request(
            _ message: NATSMessage,
            timeout: Duration = .seconds(5),
            tracedBy tracer: any Tracer
        ) -> Signal<NATSMessage, NATSError> {
            let asking = Signal<NATSMessage, NATSError>.deferred {
                var message = message
                // Runs inside of the span.
                if let context = ServiceContext.current {
                    tracer.inject(context, into: &message.headers, using: FieldsCarrier())
                }
                return self.request(message, timeout: timeout)
            }
            return asking.traced(
                "\(message.subject) request",
                ofKind: .client,
                by: tracer,
                attributes: [
                    "messaging.system": "nats", "messaging.destination.name": .string(message.subject),
                ]
            )
        }
    }

    extension NATSMessage {
        /// The context of the sender, for the parameter `in` of `Signal.traced`. Without valid headers it is empty.
        ///
        /// - Parameter tracer: Reads the headers.
        public func serviceContext(by tracer: any Tracer) -> ServiceContext {
            var context = ServiceContext.topLevel
            tracer.extract(headers, into: &context, using: FieldsCarrier())
            return context
        }
    }
#endif
