// SPDX-License-Identifier: MIT
/// The address without its port. IP addresses are stored inline, because an array would allocate memory for each
/// connection.
enum AddressNumber: Sendable, Hashable {
    case four(UInt32)
    case six(UInt64, UInt64)
    /// A Unix socket's path, or a zero byte followed by its abstract name.
    case name([UInt8])

    /// Parses bytes in the format of ``bytes``.
    init(_ family: SocketAddress.Family, _ bytes: [UInt8]) {
        switch family {
        case .ipv4: self = .four(UInt32(Self.number(bytes.prefix(4))))
        case .ipv6: self = .six(Self.number(bytes.prefix(8)), Self.number(bytes.dropFirst(8).prefix(8)))
        case .unix: self = .name(bytes)
        }
    }

    /// The address in network byte order.
    var bytes: [UInt8] {
        switch self {
        case .four(let number): Self.bytes(UInt64(number), 4)
        case .six(let high, let low): Self.bytes(high, 8) + Self.bytes(low, 8)
        case .name(let bytes): bytes
        }
    }

    /// The IPv4 address that an IPv6 address contains (`::ffff:192.0.2.1`, RFC 4291 section 2.5.5.2). Any other address is
    /// returned unchanged.
    var unmapped: AddressNumber {
        if case .six(0, let low) = self, low >> 32 == 0xffff { .four(UInt32(truncatingIfNeeded: low)) } else { self }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { number, byte in number << 8 | UInt64(byte) }
    }

    private static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
        (1...count).map { index in UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - index))) }
    }
}
