// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSockets

    /// Parses a ``JSONValue``. Returns nil for malformed text, and for text nested deeper than JetStream's responses.
    struct JSONReader {
        private static let deepest = 32

        private let bytes: [UInt8]
        private var position = 0

        private init(_ bytes: [UInt8]) { self.bytes = bytes }

        static func value(of text: some Sequence<UInt8>) -> JSONValue? {
            var reader = JSONReader(Array(text))
            guard let value = reader.value(deepest) else { return nil }
            reader.skipBlanks()
            return reader.position == reader.bytes.count ? value : nil
        }

        private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

        private mutating func skipBlanks() {
            while let next, [32, 9, 10, 13].contains(next) { position += 1 }
        }

        private mutating func take(_ character: Character) -> Bool {
            skipBlanks()
            guard next == character.asciiValue else { return false }
            position += 1
            return true
        }

        private mutating func take(_ word: StaticString) -> Bool {
            // Safe: the text of a static string is never deallocated.
            let matches = word.withUTF8Buffer { unsafe bytes[position...].starts(with: $0) }
            if matches { position += word.utf8CodeUnitCount }
            return matches
        }

        private mutating func value(_ depth: Int) -> JSONValue? {
            skipBlanks()
            guard depth > 0, let next else { return nil }
            switch next {
            case UInt8(ascii: "{"): return object(depth)
            case UInt8(ascii: "["): return array(depth)
            case UInt8(ascii: "\""): return string().map { .string($0) }
            case UInt8(ascii: "t"): return take("true") ? .bool(true) : nil
            case UInt8(ascii: "f"): return take("false") ? .bool(false) : nil
            case UInt8(ascii: "n"): return take("null") ? .null : nil
            default: return number()
            }
        }

        private mutating func object(_ depth: Int) -> JSONValue? {
            position += 1
            var members: [String: JSONValue] = [:]
            if take("}" as Character) { return .object(members) }
            repeat {
                skipBlanks()
                guard next == UInt8(ascii: "\""), let name = string(), take(":" as Character),
                    let value = value(depth - 1)
                else { return nil }
                members[name] = value
            } while take("," as Character)
            return take("}" as Character) ? .object(members) : nil
        }

        private mutating func array(_ depth: Int) -> JSONValue? {
            position += 1
            var elements: [JSONValue] = []
            if take("]" as Character) { return .array(elements) }
            repeat {
                guard let value = value(depth - 1) else { return nil }
                elements.append(value)
            } while take("," as Character)
            return take("]" as Character) ? .array(elements) : nil
        }

        private mutating func number() -> JSONValue? {
            let start = position
            while let next, "+-.eE0123456789".utf8.contains(next) { position += 1 }
            let text = bytes[start..<position]
            if let number = WireInteger(decimal: text) { return .integer(number) }
            guard text.first != UInt8(ascii: "+"), let number = Double(String(decoding: text, as: UTF8.self)),
                number.isFinite
            else { return nil }
            return .number(number)
        }

        private mutating func string() -> String? {
            position += 1
            var units: [UInt8] = []
            while let byte = next, byte != UInt8(ascii: "\"") {
                position += 1
                if byte != UInt8(ascii: "\\") {
                    units.append(byte)
                } else {
                    guard let scalar = escape() else { return nil }
                    units += Array(String(scalar).utf8)
                }
            }
            guard next != nil else { return nil }
            position += 1
            return String(validating: units, as: UTF8.self)
        }

        private mutating func escape() -> Unicode.Scalar? {
            guard let kind = next else { return nil }
            position += 1
            switch kind {
            case UInt8(ascii: "n"): return "\n"
            case UInt8(ascii: "t"): return "\t"
            case UInt8(ascii: "r"): return "\r"
            case UInt8(ascii: "b"): return "\u{8}"
            case UInt8(ascii: "f"): return "\u{c}"
            case UInt8(ascii: "u"): return codePoint()
            default: return Unicode.Scalar(kind)
            }
        }

        private mutating func codePoint() -> Unicode.Scalar? {
            guard let high = fourDigits() else { return nil }
            if let scalar = Unicode.Scalar(high) { return scalar }
            guard take("\\u"), let low = fourDigits(), (0xDC00...0xDFFF).contains(low), high < 0xDC00 else {
                return nil
            }
            return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        }

        private mutating func fourDigits() -> UInt32? {
            let digits = bytes[position...].prefix(4)
            guard digits.count == 4, let number = WireInteger(hexadecimal: digits)?.value(in: 0...0xFFFF) else {
                return nil
            }
            position += 4
            return UInt32(clamping: number)
        }
    }
#endif
