// SPDX-License-Identifier: MIT
import ReactiveSupport

extension Bytes {
    /// Reads the integer at `index`: `header.integer(at: 2, as: UInt16.self)`.
    ///
    /// - Parameters:
    ///   - index: The index of the integer's first byte. It need not be aligned.
    ///   - type: The integer's type. A type with more than 64 bits traps.
    ///   - order: The byte order.
    /// - Returns: The integer, or nil if it does not lie completely within the bytes.
    @inlinable
    public func integer<Integer: FixedWidthInteger>(
        at index: Int,
        as type: Integer.Type,
        _ order: ByteOrder = .bigEndian
    ) -> Integer? {
        bits(at: index, Integer.bitWidth / 8, order).map { Integer(truncatingIfNeeded: $0) }
    }

    /// Encodes an integer with the width of its type. A type with more than 64 bits traps.
    @inlinable
    public init(_ integer: some FixedWidthInteger, _ order: ByteOrder = .bigEndian) {
        self.init(bits: UInt64(truncatingIfNeeded: integer), integer.bitWidth / 8, order)
    }

    /// The integer of `width` bytes at `index`, or nil if it does not lie completely within the bytes.
    @usableFromInline
    func bits(at index: Int, _ width: Int, _ order: ByteOrder) -> UInt64? {
        require(width <= 8, "cannot read an integer of \(width) bytes: use a type with at most 8 bytes")
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
        require(width <= 8, "cannot encode an integer of \(width) bytes: use a type with at most 8 bytes")
        self.init(
            (0..<width).map { offset in
                let position = order == .littleEndian ? offset : width - 1 - offset
                return UInt8(truncatingIfNeeded: bits >> (8 * position))
            }
        )
    }
}
