// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveTracing
    import Testing

    #if NATS
        import ReactiveNATS
    #endif

    /// Trace contexts in header fields and headers.
    @Suite struct CarryingTests {
        private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

        @Test("Header fields carry a context")
        func fields() throws {
            var fields: HTTPFields = [.accept: "*/*"]
            #expect(fields.traceContext == nil)
            let context = try #require(TraceContext(traceparent: Self.parent, tracestate: "a=1"))
            fields.traceContext = context
            #expect(fields.count == 3)
            #expect(fields.traceContext == context)
            fields.append(HTTPField(name: try #require(HTTPField.Name("Tracestate")), value: "b=2"))
            #expect(fields.traceContext?.state.header == "a=1,b=2")
            fields.append(HTTPField(name: try #require(HTTPField.Name("Traceparent")), value: Self.parent))
            #expect(fields.traceContext == nil)
            fields.traceContext = nil
            #expect(fields == [.accept: "*/*"])
        }

        #if NATS
            @Test("NATS headers carry a context")
            func headers() throws {
                var headers: NATSHeaders = ["Traceparent": Self.parent, "other": "x"]
                let context = try #require(headers.traceContext)
                #expect(context.traceparent == Self.parent)
                headers.traceContext = context.child()
                #expect(headers.fields.count == 2)
                #expect(headers.traceContext?.traceID == context.traceID)
                #expect(headers.traceContext?.spanID != context.spanID)
                headers.fields.append(NATSHeaders.Field("traceparent", Self.parent))
                #expect(headers.traceContext == nil)
                headers.traceContext = nil
                #expect(headers == ["other": "x"])
            }
        #endif
    }
#endif
