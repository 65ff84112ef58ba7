// SPDX-License-Identifier: MIT
#if HTTP
    public import HTTPTypes

    extension HTTPFields {
        /// The trace context in the fields `traceparent` and `tracestate`, or `nil` if there is none or it is invalid.
        ///
        /// Several `traceparent` fields are invalid. Setting a context replaces both fields. Setting `nil` removes them.
        public var traceContext: TraceContext? {
            get {
                let parents = self[values: .traceparent]
                guard parents.count == 1 else { return nil }
                let state = self[values: .tracestate].joined(separator: ",")
                return TraceContext(traceparent: parents[0], tracestate: state)
            }
            set {
                self[.traceparent] = newValue?.traceparent
                let state = newValue?.state.header ?? ""
                self[.tracestate] = state.isEmpty ? nil : state
            }
        }
    }

    extension HTTPField.Name {
        fileprivate static var traceparent: HTTPField.Name { name("traceparent") }
        fileprivate static var tracestate: HTTPField.Name { name("tracestate") }

        private static func name(_ text: String) -> HTTPField.Name {
            guard let name = HTTPField.Name(text) else { fatalError("HTTPTypes refuses the field name \(text)") }
            return name
        }
    }
#endif
