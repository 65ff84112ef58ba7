// SPDX-License-Identifier: MIT
#if HTTP
    /// Percent-encoding (RFC 3986 section 2.1).
    enum PercentCoding {
        /// Appends the encoding of a byte, such as `%2F`.
        static func append(_ byte: UInt8, to text: inout String) {
            let digits = String(byte, radix: 16, uppercase: true)
            text += byte < 16 ? "%0\(digits)" : "%\(digits)"
        }

        /// Takes the two digits behind a percent sign. Returns `nil`, and takes nothing, if they are not hexadecimal.
        static func popByte(_ rest: inout Substring.UTF8View) -> UInt8? {
            var digits = rest
            guard let high = digits.popFirst().flatMap(ASCII.hexadecimal),
                let low = digits.popFirst().flatMap(ASCII.hexadecimal)
            else { return nil }
            rest = digits
            return UInt8(truncatingIfNeeded: high << 4 | low)
        }
    }
#endif
