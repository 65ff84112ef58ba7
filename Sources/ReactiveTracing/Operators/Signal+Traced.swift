// SPDX-License-Identifier: MIT
#if Tracing
    import ReactiveCore
    public import ReactiveSignals
    public import Tracing

    extension Signal {
        /// Records a span for each subscription, from its beginning to its end.
        ///
        /// All operators and closures before this one see the span in `ServiceContext.current`, on every thread, as with
        /// `Signal.propagating(_:)`. So spans that they start belong to this one. Operators and closures
        /// after this one see the subscriber's `ServiceContext`.
        ///
        /// A failure is recorded, and sets the status of the span. A disposal ends the span without a status.
        ///
        /// - Parameters:
        ///   - name: The name of the operation. It should have few different values.
        ///   - kind: The role in the trace.
        ///   - context: The context of the caller. By default it is the subscriber's `ServiceContext.current`.
        ///   - tracer: Starts the span.
        ///   - attributes: The attributes at the start.
        ///   - onValue: Called with each value, to set attributes of the span.
        public func traced(
            _ name: String,
            ofKind kind: SpanKind = .internal,
            in context: ServiceContext? = nil,
            by tracer: any Tracer = InstrumentationSystem.tracer,
            attributes: SpanAttributes = [:],
            onValue: (@Sendable (Value, any Tracing.Span) -> Void)? = nil
        ) -> Signal {
            let traced = Signal.starting { sink, subscription in
                let input = subscription.makeChild("traced")
                guard !input.isDisposed else { return }
                let span: any Tracing.Span = tracer.startSpan(
                    name,
                    context: context ?? .current ?? .topLevel,
                    ofKind: kind
                )
                if !attributes.isEmpty { span.updateAttributes { $0.merge(attributes) } }
                input.onDispose { span.end() }
                Signal.carrying(PropagatedContext(ServiceContext.$current, span.context)) { self }.relay(
                    in: input,
                    { value in
                        onValue?(value, span)
                        sink.receive(value)
                    },
                    { termination in
                        if input.isDisposed { return }
                        if case .failed(let failure) = termination {
                            span.recordError(failure)
                            span.setStatus(SpanStatus(code: .error, message: "\(failure)"))
                        }
                        input.dispose()
                        sink.receive(termination: termination)
                    }
                )
            }
            return traced.propagating(ServiceContext.$current)
        }
    }
#endif
