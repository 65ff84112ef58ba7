// SPDX-License-Identifier: MIT
/// The network of a peer: the first bits of its IP address, as a key for limits.
///
/// A host usually owns one IPv4 address, but a whole IPv6 network of 64 bits (RFC 6177). So the default for IPv6 is 64
/// bits: otherwise a host could use 2^64 addresses. An IPv4 address inside an IPv6 address (`::ffff:192.0.2.1`) counts as
/// the IPv4 address.
public struct AddressPrefix: Sendable, Hashable {
    private let isIPv4: Bool
    private let high: UInt64
    private let low: UInt64

    /// Reads the prefix of an address. The result is `nil` for a Unix socket.
    ///
    /// - Parameters:
    ///   - address: The address. Its port does not matter.
    ///   - ipv4Bits: The number of bits of an IPv4 address that count, from 0 to 32.
    ///   - ipv6Bits: The number of bits of an IPv6 address that count, from 0 to 128.
    public init?(_ address: SocketAddress, ipv4Bits: Int = 32, ipv6Bits: Int = 64) {
        switch address.number.unmapped {
        case .four(let number): self.init(isIPv4: true, 0, UInt64(number) << 32 & Self.mask(ipv4Bits))
        case .six(let high, let low):
            self.init(isIPv4: false, high & Self.mask(ipv6Bits), low & Self.mask(ipv6Bits - 64))
        case .name: return nil
        }
    }

    private init(isIPv4: Bool, _ high: UInt64, _ low: UInt64) {
        self.isIPv4 = isIPv4
        self.high = high
        self.low = low
    }

    /// A mask of the first `bits` of 64 bits.
    private static func mask(_ bits: Int) -> UInt64 { ~0 << UInt64(64 - min(max(0, bits), 64)) }
}
