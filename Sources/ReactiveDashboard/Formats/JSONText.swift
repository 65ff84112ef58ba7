// SPDX-License-Identifier: MIT
#if HTTP
    /// Writes JSON (RFC 8259). The caller keeps the order of keys and values.
    struct JSONText {
        private(set) var bytes: [UInt8] = []
        private var needsComma = false

        var text: String { String(decoding: bytes, as: UTF8.self) }

        mutating func object(_ body: (inout JSONText) -> Void) {
            separate()
            append("{")
            needsComma = false
            body(&self)
            append("}")
            needsComma = true
        }

        mutating func array<Element>(_ elements: some Sequence<Element>, _ body: (inout JSONText, Element) -> Void) {
            separate()
            append("[")
            needsComma = false
            for element in elements { body(&self, element) }
            append("]")
            needsComma = true
        }

        /// Begins a member of an object. Its value follows. The name needs no escapes.
        mutating func key(_ name: String) {
            separate()
            append("\"")
            append(name)
            append("\":")
            needsComma = false
        }

        mutating func string(_ value: String?) {
            separate()
            guard let value else { return append("null") }
            append("\"")
            for byte in value.utf8 { append(escaping: byte) }
            append("\"")
        }

        mutating func number(_ value: (some BinaryInteger)?) {
            separate()
            guard let value else { return append("null") }
            bytes.append(contentsOf: "\(value)".utf8)
        }

        /// Writes a number. JSON has none that is infinite.
        mutating func number(_ value: Double?) {
            separate()
            guard let value, value.isFinite else { return append("null") }
            bytes.append(contentsOf: "\(DashboardSnapshot.rounded(value))".utf8)
        }

        mutating func bool(_ value: Bool) {
            separate()
            append(value ? "true" : "false")
        }

        private mutating func separate() {
            if needsComma { append(",") }
            needsComma = true
        }

        private mutating func append(_ text: String) {
            bytes.append(contentsOf: text.utf8)
        }

        private mutating func append(escaping byte: UInt8) {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case UInt8(ascii: "\n"): append("\\n")
            case ..<0x20, 0x7F:
                let digits = String(byte, radix: 16)
                bytes.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
            default: bytes.append(byte)
            }
        }
    }
#endif
