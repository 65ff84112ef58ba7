// SPDX-License-Identifier: MIT
/// The address families of version 2, with their numbers on the wire.
enum ProxyFamily: UInt8 {
    case unspecified = 0
    case ipv4 = 1
    case ipv6 = 2
    case unix = 3

    static let longestAddress = 108

    /// The number of bytes of one address, without its port.
    var addressCount: Int {
        switch self {
        case .unspecified: 0
        case .ipv4: 4
        case .ipv6: 16
        case .unix: Self.longestAddress
        }
    }

    /// The number of bytes of both addresses and their ports.
    var blockCount: Int { 2 * addressCount + (self == .ipv4 || self == .ipv6 ? 4 : 0) }

    /// Decodes the two addresses at the beginning of `block`. `nil` if the family has none, or the block is too short.
    func addresses(in block: Bytes) -> (source: SocketAddress, destination: SocketAddress)? {
        guard self != .unspecified, block.count >= blockCount, let source = address(0, in: block),
            let destination = address(1, in: block)
        else { return nil }
        return (source, destination)
    }

    private func address(_ number: Int, in block: Bytes) -> SocketAddress? {
        let bytes = Array(block.dropFirst(number * addressCount).prefix(addressCount))
        if self == .unix { return SocketAddress(family: .unix, bytes: Self.name(bytes)) }
        let index = block.startIndex + 2 * (addressCount + number)
        guard let port = block.integer(at: index, as: UInt16.self) else { return nil }
        return SocketAddress(family: self == .ipv4 ? .ipv4 : .ipv6, bytes: bytes, port: port)
    }

    /// Encodes the two addresses. An IPv4 address among IPv6 addresses is mapped.
    static func encoded(_ source: SocketAddress, _ destination: SocketAddress) -> (family: ProxyFamily, block: [UInt8])
    {
        let pair = [source, destination]
        if pair.allSatisfy({ $0.family == .unix }) {
            return (.unix, pair.flatMap { padded($0.bytes) })
        }
        let ports = pair.flatMap { Array(Bytes($0.port)) }
        if pair.allSatisfy({ $0.family == .ipv4 }) { return (.ipv4, pair.flatMap(\.bytes) + ports) }
        let wide = pair.flatMap { address in
            address.family == .ipv4 ? [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + address.bytes : address.bytes
        }
        return (.ipv6, wide + ports)
    }

    private static func padded(_ name: [UInt8]) -> [UInt8] {
        let kept = name.prefix(longestAddress)
        return kept + [UInt8](repeating: 0, count: longestAddress - kept.count)
    }

    /// A path ends at its first zero byte. An abstract name begins with one, and its padding is removed.
    private static func name(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.first != 0 { return Array(bytes.prefix { $0 != 0 }) }
        let end = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        return Array(bytes[..<end])
    }
}
