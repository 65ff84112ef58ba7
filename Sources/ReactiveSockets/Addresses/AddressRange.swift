// SPDX-License-Identifier: MIT
/// A range of addresses, such as those of the proxies that a server trusts: `10.0.0.0/8`, `::1`, or all Unix sockets.
///
/// ```swift
/// let range = try AddressRange("192.168.0.0/16")
/// let isInside = range.contains(.loopback(port: 80))  // false
/// ```
///
/// Ports and interfaces do not matter. An IPv4 address that a dual-stack socket reports as `::ffff:192.0.2.1` counts as
/// the IPv4 address `192.0.2.1`, so `::/0` does not contain it.
public struct AddressRange: Sendable, Hashable {
    private enum Kind: Hashable {
        case unix
        /// The first address, and the number of bits that the others have in common with it.
        case network(SocketAddress, bits: Int)
    }

    private let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// All Unix sockets. The file permissions of the socket's folder then decide which processes can connect.
    public static var unix: AddressRange { AddressRange(.unix) }

    /// All IPv4 and IPv6 loopback addresses: `127.0.0.0/8` and `::1`.
    public static var loopback: [AddressRange] {
        [
            AddressRange(.network(SocketAddress(.four(127 << 24)), bits: 8)),
            AddressRange(.network(SocketAddress(.six(0, 1)), bits: 128)),
        ]
    }

    /// Parses a numeric address, a network in CIDR notation (RFC 4632), or `unix`.
    ///
    /// - Parameter text: The text, such as `10.0.0.0/8`, `fd00::/8`, `192.0.2.1` or `unix`. An address without `/`
    ///   contains only itself.
    /// - Throws: `invalidAddress` if the text is none of these, if the prefix length is too large, or if bits after the
    ///   prefix are set, as in `10.0.0.1/8`.
    public init(_ text: String) throws(SocketError) {
        if text == "unix" {
            self = .unix
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let parsed = AddressText.parse(String(parts[0])), parsed.scope == 0 else {
            throw Self.invalid(text, "write 10.0.0.0/8, fd00::/8, a single address, or unix")
        }
        let first = SocketAddress(parsed.number.unmapped)
        // 96 for an IPv4 address in IPv6 notation.
        let shift = (parsed.bytes.count - first.bytes.count) * 8
        let all = first.bytes.count * 8
        var bits = all
        if parts.count == 2 {
            guard parts[1].first != "-", let number = WireInteger(decimal: parts[1])?.value(in: 0...bits + shift) else {
                throw Self.invalid(text, "the prefix length is a number from 0 to \(bits + shift)")
            }
            guard number >= shift else {
                throw Self.invalid(text, "a range of IPv4 addresses in IPv6 notation has a prefix of 96 or more")
            }
            bits = number - shift
        }
        guard Self.prefix(first, bits) == Self.prefix(first, all) else {
            throw Self.invalid(text, "bits after the prefix are set")
        }
        kind = .network(first, bits: bits)
    }

    /// Whether the range contains an address.
    ///
    /// - Parameter address: The address. Its port and its interface do not matter.
    public func contains(_ address: SocketAddress) -> Bool {
        switch kind {
        case .unix: address.family == .unix
        case .network(let first, let bits): Self.prefix(address, bits) == Self.prefix(first, bits)
        }
    }

    /// The first bits of an address. `nil` for a Unix socket.
    private static func prefix(_ address: SocketAddress, _ bits: Int) -> AddressPrefix? {
        AddressPrefix(address, ipv4Bits: bits, ipv6Bits: bits)
    }

    private static func invalid(_ text: String, _ reason: String) -> SocketError {
        SocketError(.invalidAddress, "\"\(text)\" is not a range of addresses: \(reason)")
    }
}

extension AddressRange: CustomStringConvertible {
    /// The range as ``init(_:)`` parses it.
    public var description: String {
        switch kind {
        case .unix: "unix"
        case .network(let first, let bits): "\(first.host)/\(bits)"
        }
    }
}
