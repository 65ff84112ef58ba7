// SPDX-License-Identifier: MIT
#if HTTP
    /// The text of a JSON value (RFC 8259). A literal is an object, which keeps the order of its members. Their names need
    /// no escapes.
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
            guard let value else { return .null }
            var bytes = [UInt8(ascii: "\"")]
            for byte in value.utf8 { append(escaping: byte, to: &bytes) }
            bytes.append(UInt8(ascii: "\""))
            return JSONText(String(decoding: bytes, as: UTF8.self))
        }

        static func number(_ value: (some BinaryInteger)?) -> JSONText { value.map { JSONText("\($0)") } ?? .null }

        /// A number. JSON has none that is infinite.
        static func number(_ value: Double?) -> JSONText {
            guard let value, value.isFinite else { return .null }
            return JSONText("\(DashboardSnapshot.rounded(value))")
        }

        static func bool(_ value: Bool) -> JSONText { JSONText("\(value)") }

        private static func append(escaping byte: UInt8, to bytes: inout [UInt8]) {
            switch byte {
            case UInt8(ascii: "\""): bytes += "\\\"".utf8
            case UInt8(ascii: "\\"): bytes += "\\\\".utf8
            case UInt8(ascii: "\n"): bytes += "\\n".utf8
            case ..<0x20, 0x7F:
                let digits = String(byte, radix: 16)
                bytes += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
            default: bytes.append(byte)
            }
        }
    }
#endif
