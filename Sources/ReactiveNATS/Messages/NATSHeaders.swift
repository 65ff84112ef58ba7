// SPDX-License-Identifier: MIT
#if NATS
    /// The headers of a message: an ordered list of names and values. A name may occur more than once.
    ///
    /// Received headers are in the order in which they were sent.
    public struct NATSHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
        /// One header line.
        public struct Field: Sendable, Hashable {
            /// The name, which is case-sensitive.
            public var name: String
            /// The value: one line without leading or trailing spaces. It may be empty in a received message only, because
            /// some clients then read no header of the message.
            public var value: String

            /// Creates a field.
            public init(_ name: String, _ value: String) {
                self.name = name
                self.value = value
            }
        }

        /// All fields, in order.
        public var fields: [Field]

        /// Creates headers from fields.
        public init(_ fields: [Field] = []) {
            self.fields = fields
        }

        /// Creates headers from names and values, in order. A name may be repeated.
        public init(dictionaryLiteral elements: (String, String)...) {
            fields = elements.map { Field($0, $1) }
        }

        /// Whether there are no fields.
        public var isEmpty: Bool { fields.isEmpty }

        /// The first value of `name`, or nil. Setting a value replaces all fields of that name. Setting `nil` removes
        /// them.
        public subscript(name: String) -> String? {
            get { fields.first { $0.name == name }?.value }
            set {
                fields.removeAll { $0.name == name }
                if let newValue { fields.append(Field(name, newValue)) }
            }
        }
    }
#endif
