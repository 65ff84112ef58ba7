// SPDX-License-Identifier: MIT
#if NATS
    public import ReactiveNATS

    extension NATSHeaders: TraceFields {
        /// The trace context in the headers `traceparent` and `tracestate`, or `nil` if there is none or it is invalid.
        ///
        /// Reading ignores the case of the names, because some clients capitalise them. Several `traceparent` headers
        /// are invalid. Setting a context replaces both headers. Setting `nil` removes them.
        public var traceContext: TraceContext? {
            get { context }
            set { context = newValue }
        }

        func values(of name: String) -> [String] {
            let lowercased = name.lowercased()
            return fields.filter { $0.name.lowercased() == lowercased }.map(\.value)
        }

        mutating func set(_ name: String, _ value: String?) {
            let lowercased = name.lowercased()
            fields.removeAll { $0.name.lowercased() == lowercased }
            if let value { fields.append(Field(name, value)) }
        }
    }
#endif
