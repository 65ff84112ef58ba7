// SPDX-License-Identifier: MIT
extension FixedWidthInteger {
    /// Parses a decimal number of ASCII digits: `Int(decimal: line[5...])`.
    ///
    /// A signed type allows a `-` before the digits, and an unsigned type does not. The result is nil for any other text,
    /// such as `+1`, ` 1`, `1_000` or an empty text, and for a number that does not fit the type. Leading zeros are
    /// ignored. A number of more than 64 bits is nil for every type.
    ///
    /// To pass on a number that is not checked yet, use ``WireInteger``.
    @inlinable
    public init?(decimal text: Bytes) {
        guard let number = text.decimalNumber(allowsMinus: Self.isSigned) else { return nil }
        self.init(exactly: number)
    }

    /// Parses a hexadecimal number: digits and the letters `a` to `f` in either case.
    ///
    /// The result is nil for any other text, such as `0x1`, `-1` or an empty text, and for a number that does not fit
    /// the type: `Int8(hexadecimal: "ff")` is nil, not -1. Leading zeros are ignored. A number of more than 64 bits is
    /// nil for every type.
    @inlinable
    public init?(hexadecimal text: Bytes) {
        guard let number = text.hexadecimalNumber else { return nil }
        self.init(exactly: number)
    }
}

extension Bytes {
    @usableFromInline
    func decimalNumber(allowsMinus: Bool) -> Int128? {
        if !allowsMinus, first == UInt8(ascii: "-") { return nil }
        return WireInteger.number(decimal: self)
    }

    @usableFromInline
    var hexadecimalNumber: Int128? { WireInteger.number(hexadecimal: self) }
}
