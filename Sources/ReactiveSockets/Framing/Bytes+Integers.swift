extension Bytes {
    /// The integer that begins at `index`: `header.integer(at: 2, as: UInt16.self)`; nil where the bytes end before it does.
    ///
    /// Of at most 64 bits; a wider type traps.
    @inlinable
    public func integer<Integer: FixedWidthInteger>(
        at index: Int,
        as type: Integer.Type,
        _ order: ByteOrder = .bigEndian
    ) -> Integer? {
        bits(at: index, Integer.bitWidth / 8, order).map { Integer(truncatingIfNeeded: $0) }
    }

    /// An integer as it is sent. Of at most 64 bits; a wider type traps.
    @inlinable
    public init(_ integer: some FixedWidthInteger, _ order: ByteOrder = .bigEndian) {
        self.init(bits: UInt64(truncatingIfNeeded: integer), integer.bitWidth / 8, order)
    }

    /// The same for a number of bytes; nil where there are not so many.
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

    /// The low `width` bytes of `bits`.
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
