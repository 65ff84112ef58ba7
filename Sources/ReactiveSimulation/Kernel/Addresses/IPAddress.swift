// SPDX-License-Identifier: MIT
import ReactiveSockets

/// An IP address. IPv4 addresses have their IPv4-mapped form (RFC 4291 section 2.5.5.2), so both families share tables.
struct IPAddress: Hashable {
    let high: UInt64
    let low: UInt64

    private static let mapped: UInt64 = 0x0000_FFFF_0000_0000

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    init(four: UInt32) { self.init(high: 0, low: Self.mapped | UInt64(four)) }

    /// The address of a socket address, which must not be a Unix one.
    init(_ address: SocketAddress) {
        let bytes = address.bytes
        if address.family == .ipv4 {
            self.init(four: bytes.reduce(0) { number, byte in number << 8 | UInt32(byte) })
            return
        }
        let high = bytes.prefix(8).reduce(0) { number, byte in number << 8 | UInt64(byte) }
        let low = bytes.dropFirst(8).reduce(0) { number, byte in number << 8 | UInt64(byte) }
        self.init(high: high, low: low)
    }

    static let loopbackFour = IPAddress(four: 0x7F00_0001)
    static let loopbackSix = IPAddress(high: 0, low: 1)
    static let anyFour = IPAddress(four: 0)
    static let anySix = IPAddress(high: 0, low: 0)

    /// Whether this is an IPv4 address, in its mapped form.
    var isFour: Bool { high == 0 && low & 0xFFFF_FFFF_0000_0000 == Self.mapped }
    var isWildcard: Bool { self == .anyFour || self == .anySix }
    /// 127.0.0.0/8 and ::1.
    var isLoopback: Bool { isFour ? four >> 24 == 127 : self == .loopbackSix }
    /// 255.255.255.255, and the broadcast addresses of 10.0.0.0/8 and of the loopback network.
    var isBroadcast: Bool { isFour && [.max, 0x0AFF_FFFF, 0x7FFF_FFFF].contains(four) }
    /// The loopback address of the same family.
    var loopback: IPAddress { isFour ? .loopbackFour : .loopbackSix }

    private var four: UInt32 { UInt32(truncatingIfNeeded: low) }

    /// The 16 bytes of the address in network byte order.
    var bytes: [UInt8] {
        [high, low].flatMap { word in
            (0..<8).map { index in UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * index)) }
        }
    }
}

/// An IP address and a port.
struct Endpoint: Hashable {
    var address: IPAddress
    var port: UInt16

    init(_ address: IPAddress, _ port: UInt16) {
        self.address = address
        self.port = port
    }

    init(_ address: SocketAddress) { self.init(IPAddress(address), address.port) }

    /// The address as a socket of `family` reports it: an IPv6 socket reports an IPv4 peer in its mapped form.
    func socketAddress(_ family: SocketAddress.Family) -> SocketAddress {
        let bytes = address.bytes
        if family != .ipv4 { return SocketAddress(family: .ipv6, bytes: bytes, port: port) }
        return SocketAddress(family: .ipv4, bytes: address.isFour ? Array(bytes[12...]) : [0, 0, 0, 0], port: port)
    }
}
