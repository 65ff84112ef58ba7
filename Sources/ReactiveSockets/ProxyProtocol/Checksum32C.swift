// SPDX-License-Identifier: MIT
/// CRC32c (RFC 3309), which a header of version 2 may contain.
enum Checksum32C {
    /// The remainders of all bytes, for the reflected polynomial 0x82F63B78.
    private static let table = (0..<256 as Range<UInt32>).map { number in
        (0..<8).reduce(number) { remainder, _ in remainder >> 1 ^ (remainder & 1 == 0 ? 0 : 0x82F6_3B78) }
    }

    /// The checksum of `bytes`, as if the four bytes at `position` were zero.
    static func of(_ bytes: Bytes, zeroing position: Int) -> UInt32 {
        let zeros = position..<position + 4
        var sum = UInt32.max
        for index in bytes.indices {
            let byte = zeros.contains(index) ? 0 : bytes[index]
            sum = table[Int(truncatingIfNeeded: UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8
        }
        return ~sum
    }
}
