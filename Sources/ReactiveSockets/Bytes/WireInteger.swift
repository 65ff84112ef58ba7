// SPDX-License-Identifier: MIT
/// An integer from a peer that has not been validated.
///
/// It has no arithmetic. The only conversions to `Int` are ``value(in:)`` and ``clamped(to:)``, and both require a
/// range. So a parser cannot compute with a number that it has not checked. Any integer of up to 64 bits fits.
public struct WireInteger: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// `Int128` holds both `Int64` and `UInt64`.
    private let unchecked: Int128
    private static let largest = Int128(clamping: UInt64.max)
    private static let least = Int128(clamping: Int64.min)

    /// Wraps a number that was read in binary. Values outside the range of `Int128` are clamped.
    public init(_ number: some BinaryInteger) {
        unchecked = Int128(clamping: number)
    }

    /// Parses a decimal number: an optional `-` followed by digits.
    ///
    /// The result is nil for any other text, such as `+1`, ` 1` or empty text. It is also nil for a number that fits
    /// neither `Int64` nor `UInt64`. Leading zeros are ignored.
    public init?(decimal text: some Sequence<UInt8>) {
        var (value, isNegative, digits): (Int128, Bool, Int) = (0, false, 0)
        var isFirst = true
        for byte in text {
            defer { isFirst = false }
            if isFirst, byte == UInt8(ascii: "-") {
                isNegative = true
                continue
            }
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            // Neither operation overflows, because `value` stays below 2^64.
            value = value * 10 + Int128(truncatingIfNeeded: byte - UInt8(ascii: "0"))
            if value > Self.largest { return nil }
            digits += 1
        }
        if isNegative { value = -value }
        guard digits > 0, value >= Self.least else { return nil }
        unchecked = value
    }

    /// Parses a decimal number from a string, like the initializer for bytes.
    public init?(decimal text: some StringProtocol) {
        self.init(decimal: text.utf8)
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

    /// Compares the numbers.
    public static func < (lhs: WireInteger, rhs: WireInteger) -> Bool { lhs.unchecked < rhs.unchecked }

    /// The number in decimal.
    public var description: String { unchecked.description }
}
