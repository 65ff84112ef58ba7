/// An integer that a peer has sent, and that nothing has checked yet.
///
/// It has no arithmetic: the only way to a number is ``value(in:)``, which asks for the range that the protocol and the
/// receiver's own sums allow. So a parser that computes with what a peer says does not compile before it has said which values
/// it can stand. Every integer of any type that Swift has up to 64 bits fits.
public struct WireInteger: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Wide enough for `Int64` and `UInt64`.
    private let unchecked: Int128
    private static let largest = Int128(clamping: UInt64.max)
    private static let least = Int128(clamping: Int64.min)

    /// Wraps a number that has been read in binary.
    public init(_ number: some BinaryInteger) {
        unchecked = Int128(clamping: number)
    }

    /// Reads a decimal number: an optional `-` and at least one digit, and nothing else.
    ///
    /// The result is `nil` for any other text, such as `+1`, ` 1` and the empty one, and for a number that neither `Int64`
    /// nor `UInt64` can hold. Leading zeros change nothing.
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
            // Neither can overflow: what is kept is below 2^64.
            value = value * 10 + Int128(truncatingIfNeeded: byte - UInt8(ascii: "0"))
            if value > Self.largest { return nil }
            digits += 1
        }
        if isNegative { value = -value }
        guard digits > 0, value >= Self.least else { return nil }
        unchecked = value
    }

    /// The same for a string.
    public init?(decimal text: some StringProtocol) {
        self.init(decimal: text.utf8)
    }

    /// The number, if it is one of `range`; else `nil`.
    ///
    /// Choose a range for which everything that is computed with the number stays in range too.
    public func value(in range: ClosedRange<Int>) -> Int? {
        guard let value = Int(exactly: unchecked), range.contains(value) else { return nil }
        return value
    }

    /// The number of `range` that is nearest.
    public func clamped(to range: ClosedRange<Int>) -> Int {
        min(max(Int(clamping: unchecked), range.lowerBound), range.upperBound)
    }

    /// Compares the numbers.
    public static func < (lhs: WireInteger, rhs: WireInteger) -> Bool { lhs.unchecked < rhs.unchecked }

    /// The number in decimal.
    public var description: String { unchecked.description }
}
