// SPDX-License-Identifier: MIT
#if HTTP
    /// Writes JSON (RFC 8259). The caller keeps the order of keys and values.
    struct JSONText {
        private(set) var text = ""
        private var needsComma = false

        mutating func object(_ body: (inout JSONText) -> Void) {
            separate()
            text += "{"
            needsComma = false
            body(&self)
            text += "}"
            needsComma = true
        }

        mutating func array<Element>(_ elements: some Sequence<Element>, _ body: (inout JSONText, Element) -> Void) {
            separate()
            text += "["
            needsComma = false
            for element in elements { body(&self, element) }
            text += "]"
            needsComma = true
        }

        /// Begins a member of an object. Its value follows.
        mutating func key(_ name: String) {
            string(name)
            text += ":"
            needsComma = false
        }

        mutating func string(_ value: String?) {
            separate()
            guard let value else { return text += "null" }
            text += "\""
            for scalar in value.unicodeScalars { append(scalar) }
            text += "\""
        }

        mutating func number(_ value: (some BinaryInteger)?) {
            separate()
            text += value.map { "\($0)" } ?? "null"
        }

        /// Writes a number. JSON has none that is infinite.
        mutating func number(_ value: Double?) {
            separate()
            guard let value, value.isFinite else { return text += "null" }
            text += "\(DashboardSnapshot.rounded(value))"
        }

        mutating func bool(_ value: Bool) {
            separate()
            text += value ? "true" : "false"
        }

        private mutating func separate() {
            if needsComma { text += "," }
            needsComma = true
        }

        private mutating func append(_ scalar: Unicode.Scalar) {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            default:
                if scalar.value >= 0x20, scalar.value != 0x7F { return text.unicodeScalars.append(scalar) }
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
#endif
