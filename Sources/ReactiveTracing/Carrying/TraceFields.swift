// SPDX-License-Identifier: MIT
#if Tracing
    import Tracing
#endif

/// Named values that carry a trace between processes: header fields of HTTP, or headers of NATS.
protocol TraceFields: Sendable {
    /// The values of all fields with this name, in any case.
    func values(of name: String) -> [String]

    /// Replaces all fields with this name, in any case. `nil` removes them.
    mutating func set(_ name: String, _ value: String?)
}

extension TraceFields {
    /// The context in the fields `traceparent` and `tracestate`. Several `traceparent` fields are invalid.
    var context: TraceContext? {
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
}

#if Tracing
    /// Reads and writes fields for a tracer.
    struct FieldsCarrier<Fields: TraceFields>: Extractor, Injector {
        func extract(key: String, from fields: Fields) -> String? {
            let values = fields.values(of: key)
            // Several `traceparent` fields are invalid. Lists may be split.
            if values.isEmpty || values.count > 1 && key == "traceparent" { return nil }
            return values.joined(separator: ",")
        }

        func inject(_ value: String, forKey key: String, into fields: inout Fields) {
            // A forwarded message may have the field in another case, and two fields are invalid.
            fields.set(key, value)
        }
    }
#endif
