extension Bytes {
    /// The integer at `index`: `header.integer(at: 2, as: UInt16.self)`.
    ///
    /// A type with more than 64 bits traps.
    ///
    /// - Returns: Nil if the integer does not lie completely within the bytes.
    @inlinable
    public func integer<Integer: FixedWidthInteger>(
        at index: Int,
        as type: Integer.Type,
        _ order: ByteOrder = .bigEndian
    ) -> Integer? {
        bits(at: index, Integer.bitWidth / 8, order).map { Integer(truncatingIfNeeded: $0) }
    }

    /// Encodes an integer. A type with more than 64 bits traps.
    @inlinable
    public init(_ integer: some FixedWidthInteger, _ order: ByteOrder = .bigEndian) {
        self.init(bits: UInt64(truncatingIfNeeded: integer), integer.bitWidth / 8, order)
    }

    /// The integer of `width` bytes at `index`, or nil if it does not lie completely within the bytes.
    @usableFromInline
    func bits(at index: Int, _ width: Int, _ order: ByteOrder) -> UInt64? {
        precondition(width <= 8, "an integer of \(width) bytes: at most 8 are read as one")
        guard index >= startIndex, index <= endIndex, endIndex - index >= width else { return nil }
        var bits: UInt64 = 0
        for offset in 0..<width {
            let byte = UInt64(truncatingIfNeeded: load(index + offset))
            bits |= byte << (8 * (order == .littleEndian ? offset : width - 1 - offset))
        }
        return bits
    }

    /// Encodes the low `width` bytes of `bits`.
    @usableFromInline
    init(bits: UInt64, _ width: Int, _ order: ByteOrder) {
        precondition(width <= 8, "an integer of \(width) bytes: at most 8 are sent as one")
        self.init(
            (0..<width).map { offset in
                let place = order == .littleEndian ? offset : width - 1 - offset
                return UInt8(truncatingIfNeeded: bits >> (8 * place))
            }
        )
    }
}
