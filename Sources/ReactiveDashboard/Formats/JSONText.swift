// SPDX-License-Identifier: MIT
#if HTTP
    /// The text of a JSON value (RFC 8259). A literal is an object, which keeps the order of its members. It does not
    /// escape their names.
    struct JSONText: ExpressibleByDictionaryLiteral {
        let text: String

        private init(_ text: String) { self.text = text }

        init(dictionaryLiteral members: (String, JSONText)...) {
            text = "{\(members.map { "\"\($0)\":\($1.text)" }.joined(separator: ","))}"
        }

        static let null = JSONText("null")

        static func array(_ elements: some Sequence<JSONText>) -> JSONText {
            JSONText("[\(elements.map(\.text).joined(separator: ","))]")
        }

        static func string(_ value: String?) -> JSONText {
            value.map { JSONText("\"\($0.escaped(controls: true))\"") } ?? .null
        }

        static func number(_ value: (some BinaryInteger)?) -> JSONText { value.map { JSONText("\($0)") } ?? .null }

        /// A number. JSON has none that is infinite.
        static func number(_ value: Double?) -> JSONText {
            guard let value, value.isFinite else { return .null }
            return JSONText("\(DashboardSnapshot.rounded(value))")
        }

        static func bool(_ value: Bool) -> JSONText { JSONText("\(value)") }
    }

    extension String {
        /// Escapes quotes, backslashes and line feeds, as JSON and Prometheus do. With `controls`, escapes all control
        /// characters, as JSON does. It works on bytes, because a quote with an accent is one character, but still a
        /// quote for a reader.
        func escaped(controls: Bool) -> String {
            var bytes: [UInt8] = []
            for byte in utf8 {
                switch byte {
                case UInt8(ascii: "\""): bytes += "\\\"".utf8
                case UInt8(ascii: "\\"): bytes += "\\\\".utf8
                case UInt8(ascii: "\n"): bytes += "\\n".utf8
                case ..<0x20 where controls, 0x7F where controls:
                    let digits = String(byte, radix: 16)
                    bytes += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
                default: bytes.append(byte)
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
#endif
