// SPDX-License-Identifier: MIT

/// Percent-encoding (RFC 3986 section 2.1).
package enum PercentCoding {
    /// Appends the encoding of a byte, such as `%2F`.
    package static func append(_ byte: UInt8, to text: inout String) {
        let digits = String(byte, radix: 16, uppercase: true)
        text += byte < 16 ? "%0\(digits)" : "%\(digits)"
    }

    /// Takes the two digits after a percent sign. Returns `nil`, and takes nothing, if they are not hexadecimal.
    package static func popByte(_ rest: inout Substring.UTF8View) -> UInt8? {
        var digits = rest
        guard let high = value(ofDigit: digits.popFirst()), let low = value(ofDigit: digits.popFirst()) else {
            return nil
        }
        rest = digits
        return UInt8(truncatingIfNeeded: high << 4 | low)
    }

    private static func value(ofDigit byte: UInt8?) -> Int? {
        byte.flatMap { Character(Unicode.Scalar($0)).hexDigitValue }
    }
}
