// SPDX-License-Identifier: MIT
/// The bytes that have a meaning in the protocol.
enum ASCII {
    static let lineFeed: UInt8 = 10
    static let carriageReturn: UInt8 = 13
    static let space: UInt8 = 32
    static let quote: UInt8 = 34
    static let dollar: UInt8 = 36
    static let apostrophe: UInt8 = 39
    static let star: UInt8 = 42
    static let plus: UInt8 = 43
    static let minus: UInt8 = 45
    static let zero: UInt8 = 48
    static let nine: UInt8 = 57
    static let colon: UInt8 = 58
    static let question: UInt8 = 63
    static let openBracket: UInt8 = 91
    static let backslash: UInt8 = 92
    static let closeBracket: UInt8 = 93
    static let caret: UInt8 = 94

    static func isSpace(_ byte: UInt8) -> Bool { byte == space || (9...13).contains(byte) }

    static func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 32 : byte }

    /// Returns the value of a hexadecimal digit, or `nil` for any other byte.
    static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case zero...nine: byte - zero
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}
