// SPDX-License-Identifier: MIT
#if Tracing
    import Tracing

    /// The contents of a span.
    struct SpanRecord: Sendable {
        let context: TraceContext
        let parent: TraceContext.SpanID?
        let kind: SpanKind
        let start: UInt64
        var name: String
        var end: UInt64 = 0
        var attributes = SpanAttributes([:])
        var events: [SpanEvent] = []
        var links: [SpanLink] = []
        var status: SpanStatus?
        /// The events and links beyond the limit.
        var dropped = (events: 0, links: 0)

        /// The largest number of attributes, of events and of links. The OpenTelemetry specification recommends it.
        static let limit = 128
        /// The largest text of an attribute, in bytes.
        static let textLimit = 1024

        mutating func add(_ event: SpanEvent) {
            if events.count < Self.limit { events.append(event) } else { dropped.events += 1 }
        }

        mutating func add(_ link: SpanLink) {
            if links.count < Self.limit { links.append(link) } else { dropped.links += 1 }
        }
    }

    /// The message `opentelemetry.proto.trace.v1.Span`.
    extension SpanRecord {
        func encoded() -> [UInt8] {
            var span = ProtobufWriter()
            span.write(1, bytes: context.traceID.bytes)
            span.write(2, bytes: context.spanID.bytes)
            span.write(3, text: context.state.header)
            if let parent { span.write(4, bytes: parent.bytes) }
            span.write(5, text: Self.shortened(name))
            span.write(6, varint: kind.number)
            span.write(7, fixed64: start)
            span.write(8, fixed64: end)
            Self.write(attributes, as: 9, dropped: 10, in: &span)
            for event in events {
                span.write(11) { message in
                    message.write(1, fixed64: event.nanosecondsSinceEpoch)
                    message.write(2, text: Self.shortened(event.name))
                    Self.write(event.attributes, as: 3, dropped: 4, in: &message)
                }
            }
            if dropped.events > 0 { span.write(12, varint: UInt64(dropped.events)) }
            for link in links {
                guard let target = link.context.traceContext else { continue }
                span.write(13) { message in
                    message.write(1, bytes: target.traceID.bytes)
                    message.write(2, bytes: target.spanID.bytes)
                    message.write(3, text: target.state.header)
                    Self.write(link.attributes, as: 4, dropped: 5, in: &message)
                }
            }
            if dropped.links > 0 { span.write(14, varint: UInt64(dropped.links)) }
            if let status {
                span.write(15) { message in
                    message.write(2, text: Self.shortened(status.message ?? ""))
                    message.write(3, varint: status.code == .ok ? 1 : 2)
                }
            }
            return span.bytes
        }

        /// Writes attributes, up to the limit.
        static func write(
            _ attributes: SpanAttributes,
            as number: UInt64,
            dropped: UInt64,
            in message: inout ProtobufWriter
        ) {
            var count = 0
            attributes.forEach { name, value in
                count += 1
                if count > limit { return }
                message.write(number) { pair in
                    pair.write(1, text: shortened(name))
                    pair.write(2) { write(value, in: &$0) }
                }
            }
            if count > limit { message.write(dropped, varint: UInt64(count - limit)) }
        }

        private static func write(_ value: SpanAttribute, in message: inout ProtobufWriter) {
            switch value {
            case .string(let text): message.write(1, bytes: shortened(text).utf8)
            case .stringConvertible(let value): message.write(1, bytes: shortened("\(value)").utf8)
            case .bool(let value): message.write(2, varint: value ? 1 : 0)
            case .int32(let value): message.write(3, varint: UInt64(bitPattern: Int64(value)))
            case .int64(let value): message.write(3, varint: UInt64(bitPattern: value))
            case .double(let value): message.write(4, double: value)
            case .int32Array(let values): write(values.map { .int32($0) }, in: &message)
            case .int64Array(let values): write(values.map { .int64($0) }, in: &message)
            case .doubleArray(let values): write(values.map { .double($0) }, in: &message)
            case .boolArray(let values): write(values.map { .bool($0) }, in: &message)
            case .stringArray(let values): write(values.map { .string($0) }, in: &message)
            case .stringConvertibleArray(let values): write(values.map { .stringConvertible($0) }, in: &message)
            default: message.write(1, bytes: shortened("\(value)").utf8)
            }
        }

        private static func write(_ values: [SpanAttribute], in message: inout ProtobufWriter) {
            message.write(5) { list in
                for value in values.prefix(limit) { list.write(1) { write(value, in: &$0) } }
            }
        }

        /// The text, up to the limit, cut between characters.
        private static func shortened(_ text: String) -> String {
            if text.utf8.count <= textLimit { return text }
            var end = text.utf8.index(text.startIndex, offsetBy: textLimit)
            while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
            return String(text[..<end])
        }
    }

    extension TraceContext.TraceID {
        var bytes: [UInt8] { ProtobufWriter.bigEndian(high) + ProtobufWriter.bigEndian(low) }
    }

    extension TraceContext.SpanID {
        var bytes: [UInt8] { ProtobufWriter.bigEndian(bits) }
    }

    extension SpanKind {
        /// The number in `opentelemetry.proto.trace.v1.Span.SpanKind`.
        fileprivate var number: UInt64 {
            switch self {
            case .internal: 1
            case .server: 2
            case .client: 3
            case .producer: 4
            case .consumer: 5
            }
        }
    }
#endif
