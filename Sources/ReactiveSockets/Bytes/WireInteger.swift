// SPDX-License-Identifier: MIT
/// An unchecked integer, usually from a peer.
///
/// It has no arithmetic. The only conversions to `Int` are ``value(in:)`` and ``clamped(to:)``, and both require a
/// range. So a parser cannot compute with a number that it has not checked. Any integer of up to 64 bits fits.
public struct WireInteger: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// An `Int128` can represent every `Int64` and every `UInt64`.
    private let unchecked: Int128
    private static let largest = Int128(clamping: UInt64.max)
    private static let least = Int128(clamping: Int64.min)

    /// Wraps a number that was read in binary. Values outside the range of `Int128` are clamped.
    public init(_ number: some BinaryInteger) {
        unchecked = Int128(clamping: number)
    }

    /// Parses a decimal number: an optional `-` followed by digits.
    ///
    /// The result is nil for any other text, such as `+1`, ` 1` or an empty text. It is also nil for a number that fits
    /// neither `Int64` nor `UInt64`. Leading zeros are ignored. `Int(decimal:)` parses a number of a known type.
    public init?(decimal text: some Sequence<UInt8>) {
        guard let number = Self.number(decimal: text) else { return nil }
        unchecked = number
    }

    /// Parses a decimal number from a string, like the initializer for bytes.
    public init?(decimal text: some StringProtocol) {
        self.init(decimal: text.utf8)
    }

    /// Parses a hexadecimal number: digits and the letters `a` to `f` in either case.
    ///
    /// The result is nil for any other text, such as `0x1`, `-1` or an empty text. It is also nil for a number that does
    /// not fit `UInt64`. Leading zeros are ignored.
    public init?(hexadecimal text: some Sequence<UInt8>) {
        guard let number = Self.number(hexadecimal: text) else { return nil }
        unchecked = number
    }

    /// Parses a hexadecimal number from a string, like the initializer for bytes.
    public init?(hexadecimal text: some StringProtocol) {
        self.init(hexadecimal: text.utf8)
    }

    /// Returns the number if it is within `range`, otherwise nil.
    ///
    /// Choose a range within which later arithmetic cannot overflow.
    public func value(in range: ClosedRange<Int>) -> Int? {
        guard let value = Int(exactly: unchecked), range.contains(value) else { return nil }
        return value
    }

    /// Returns the number if it is within `range`, otherwise the nearer bound of `range`.
    public func clamped(to range: ClosedRange<Int>) -> Int {
        min(max(Int(clamping: unchecked), range.lowerBound), range.upperBound)
    }

    /// The number that a decimal text represents, if it fits `Int64` or `UInt64`.
    static func number(decimal text: some Sequence<UInt8>) -> Int128? { number(text, radix: 10, allowsMinus: true) }

    /// The number that a hexadecimal text represents, if it fits `UInt64`.
    static func number(hexadecimal text: some Sequence<UInt8>) -> Int128? {
        number(text, radix: 16, allowsMinus: false)
    }

    // Inlined, so that the radix is a constant.
    @inline(__always)
    private static func number(_ text: some Sequence<UInt8>, radix: UInt8, allowsMinus: Bool) -> Int128? {
        var (value, isNegative, digits): (Int128, Bool, Int) = (0, false, 0)
        for byte in text {
            if allowsMinus, digits == 0, !isNegative, byte == UInt8(ascii: "-") {
                isNegative = true
                continue
            }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            guard digit < radix else { return nil }
            // Neither operation overflows, because `value` stays below 2^64.
            value = value * Int128(truncatingIfNeeded: radix) + Int128(truncatingIfNeeded: digit)
            if value > Self.largest { return nil }
            digits += 1
        }
        if isNegative { value = -value }
        return digits > 0 && value >= Self.least ? value : nil
    }

    /// Compares the numbers.
    public static func < (lhs: WireInteger, rhs: WireInteger) -> Bool { lhs.unchecked < rhs.unchecked }

    /// The number in decimal.
    public var description: String { unchecked.description }
}
