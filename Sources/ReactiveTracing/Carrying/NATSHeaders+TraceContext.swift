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
                let state = values(of: "tracestate").joined(separator: ",")
                return TraceContext(traceparent: parents[0], tracestate: state)
            }
            set {
                set("traceparent", newValue?.traceparent)
                let state = newValue?.state.header ?? ""
                set("tracestate", state.isEmpty ? nil : state)
            }
        }

        /// The values of all headers with this name, in any case.
        func values(of name: String) -> [String] {
            let lowercased = name.lowercased()
            return fields.filter { $0.name.lowercased() == lowercased }.map(\.value)
        }

        /// Replaces all headers with this name, in any case. `nil` removes them.
        mutating func set(_ name: String, _ value: String?) {
            let lowercased = name.lowercased()
            fields.removeAll { $0.name.lowercased() == lowercased }
            if let value { fields.append(Field(name, value)) }
        }
    }
#endif
