#if NATS
    /// The headers of a message: names with values, in their order; a name may come more than once.
    public struct NATSHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
        /// One line.
        public struct Field: Sendable, Hashable {
            /// The name. Upper and lower case are told apart.
            public var name: String
            /// The value: one line, not empty, without blanks around it.
            public var value: String

            /// Makes one.
            public init(_ name: String, _ value: String) {
                self.name = name
                self.value = value
            }
        }

        /// All of them.
        public var fields: [Field]

        /// Makes headers of fields; none unless said otherwise.
        public init(_ fields: [Field] = []) {
            self.fields = fields
        }

        /// Names with values, in their order.
        public init(dictionaryLiteral elements: (String, String)...) {
            fields = elements.map { Field($0, $1) }
        }

        /// Whether there is none.
        public var isEmpty: Bool { fields.isEmpty }

        /// The first value that `name` has. Setting it replaces all of that name; nil removes them.
        public subscript(name: String) -> String? {
            get { fields.first { $0.name == name }?.value }
            set {
                fields.removeAll { $0.name == name }
                if let newValue { fields.append(Field(name, newValue)) }
            }
        }
    }
#endif
