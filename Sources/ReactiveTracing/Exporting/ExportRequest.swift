// SPDX-License-Identifier: MIT
#if Tracing
    import Tracing

    /// The message `ExportTraceServiceRequest` of OTLP.
    enum ExportRequest {
        /// The message `Resource`.
        static func resource(_ attributes: [String: String]) -> [UInt8] {
            var resource = ProtobufWriter()
            SpanRecord.write(SpanAttributes(attributes.mapValues { .string($0) }), as: 1, dropped: 2, in: &resource)
            return resource.bytes
        }

        /// The request with all `spans`.
        static func encoded(_ resource: [UInt8], _ spans: [[UInt8]]) -> [UInt8] {
            var request = ProtobufWriter()
            request.write(1) { resourceSpans in
                resourceSpans.write(1, bytes: resource)
                resourceSpans.write(2) { scopeSpans in
                    scopeSpans.write(1) { $0.write(1, text: "swift-reactive") }
                    for span in spans { scopeSpans.write(2, bytes: span) }
                }
            }
            return request.bytes
        }
    }
#endif
