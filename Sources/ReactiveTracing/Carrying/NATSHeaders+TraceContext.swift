// SPDX-License-Identifier: MIT
#if NATS
    public import ReactiveNATS

    extension NATSHeaders {
        /// The trace context in the headers `traceparent` and `tracestate`, or `nil` if there is none or it is invalid.
        ///
        /// Reading ignores the case of the names, because some clients capitalise them. Several `traceparent` headers
        /// are invalid. Setting a context replaces both headers. Setting `nil` removes them.
        public var traceContext: TraceContext? {
            get {
                let parents = values(of: "traceparent")
                guard parents.count == 1 else { return nil }
                let states = values(of: "tracestate")
                return TraceContext(
                    traceparent: parents[0],
                    tracestate: states.isEmpty ? nil : states.joined(separator: ",")
                )
            }
            set {
                set("traceparent", newValue?.traceparent)
                let state = newValue?.state.header ?? ""
                set("tracestate", state.isEmpty ? nil : state)
            }
        }

        private func values(of name: String) -> [String] {
            fields.filter { $0.name.lowercased() == name }.map(\.value)
        }

        private mutating func set(_ name: String, _ value: String?) {
            fields.removeAll { $0.name.lowercased() == name }
            if let value { fields.append(Field(name, value)) }
        }
    }
#endif
