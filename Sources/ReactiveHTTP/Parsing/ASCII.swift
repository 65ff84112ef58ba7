// SPDX-License-Identifier: MIT
#if HTTP
    /// The character classes of RFC 9110 section 5.6 and of RFC 3986.
    enum ASCII {
        static let tab = UInt8(ascii: "\t")
        static let lineFeed = UInt8(ascii: "\n")
        static let carriageReturn = UInt8(ascii: "\r")
        static let space = UInt8(ascii: " ")
        static let colon = UInt8(ascii: ":")

        /// A set of ASCII characters, one bit for each. The numbers are constants, so that no access initializes them.
        struct Set {
            /// The characters 0 to 63.
            let low: UInt64
            /// The characters 64 to 127.
            let high: UInt64

            @inline(__always)
            func contains(_ byte: UInt8) -> Bool {
                byte < 0x80 && ((byte < 64 ? low : high) &>> UInt64(truncatingIfNeeded: byte)) & 1 == 1
            }
        }

        /// `tchar` (RFC 9110 section 5.6.2): digits, letters, the backtick and `!#$%&'*+-.^_|~`.
        static let token = Set(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
        /// The characters of a request target: digits, letters, `-._~!$&'()*+,;=:@/?%`, the backtick and `[]^{|}`. The
        /// last seven are not those of RFC 3986: see ``RequestTarget``.
        static let target = Set(low: 0xAFFF_FFF2_0000_0000, high: 0x7FFF_FFFF_EFFF_FFFF)
        /// `reg-name` without percent-encoded bytes (RFC 3986 section 3.2.2): digits, letters and `-._~!$&'()*+,;=`.
        static let registeredName = Set(low: 0x2BFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)

        /// Whether the byte is a space or a tab (`OWS`).
        @inline(__always)
        static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

        /// Whether a field value may contain the byte: `field-vchar`, a space or a tab (RFC 9110 section 5.5).
        @inline(__always)
        static func isContent(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == tab }

        static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

        static func isLetter(_ byte: UInt8) -> Bool {
            lowercased(byte) >= UInt8(ascii: "a") && lowercased(byte) <= UInt8(ascii: "z")
        }

        @inline(__always)
        static func lowercased(_ byte: UInt8) -> UInt8 {
            byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
        }

        /// The value of a hexadecimal digit, or `nil`.
        static func hexadecimal(_ byte: UInt8) -> Int? {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(truncatingIfNeeded: byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(truncatingIfNeeded: byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): Int(truncatingIfNeeded: byte - UInt8(ascii: "A") + 10)
            default: nil
            }
        }

        /// A byte for a message to people: the character, or its number.
        static func name(_ byte: UInt8) -> String {
            switch byte {
            case space: "a space"
            case tab: "a tab"
            case carriageReturn: "a carriage return"
            case lineFeed: "a line feed"
            case 0x21...0x7E: "'\(Character(Unicode.Scalar(byte)))'"
            default: "byte 0x\(String(byte, radix: 16))"
            }
        }
    }
#endif
