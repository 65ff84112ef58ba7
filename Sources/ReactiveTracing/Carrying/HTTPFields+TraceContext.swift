// SPDX-License-Identifier: MIT
#if HTTP
    public import HTTPTypes

    extension HTTPFields: TraceFields {
        /// The trace context in the fields `traceparent` and `tracestate`, or `nil` if there is none or it is invalid.
        ///
        /// Several `traceparent` fields are invalid. Setting a context replaces both fields. Setting `nil` removes them.
        public var traceContext: TraceContext? {
            get { context }
            set { context = newValue }
        }

        func values(of name: String) -> [String] { HTTPField.Name(name).map { self[values: $0] } ?? [] }

        mutating func set(_ name: String, _ value: String?) {
            if let name = HTTPField.Name(name) { self[name] = value }
        }
    }
#endif
