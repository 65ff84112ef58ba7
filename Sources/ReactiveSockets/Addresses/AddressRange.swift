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
        /// The network's bytes, 4 or 16 of them, and the number of bits that an address has in common with it.
        case network([UInt8], bits: Int)
    }

    private let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// All Unix sockets. The file permissions of the socket's folder then decide which processes can connect.
    public static var unix: AddressRange { AddressRange(.unix) }

    /// All IPv4 and IPv6 loopback addresses: `127.0.0.0/8` and `::1`.
    public static var loopback: [AddressRange] {
        [
            AddressRange(.network([127, 0, 0, 0], bits: 8)),
            AddressRange(.network([UInt8](repeating: 0, count: 15) + [1], bits: 128)),
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
        var (bytes, shift) = (parsed.bytes, 0)
        if let four = Self.mappedAddress(in: bytes) { (bytes, shift) = (four, 96) }
        var bits = bytes.count * 8
        if parts.count == 2 {
            guard parts[1].first != "-", let number = WireInteger(decimal: parts[1])?.value(in: 0...bits + shift) else {
                throw Self.invalid(text, "the prefix length is a number from 0 to \(bits + shift)")
            }
            guard number >= shift else {
                throw Self.invalid(text, "a range of IPv4 addresses in IPv6 notation has a prefix of 96 or more")
            }
            bits = number - shift
        }
        guard Self.masked(bytes, bits) == bytes else {
            throw Self.invalid(text, "bits after the prefix are set")
        }
        kind = .network(bytes, bits: bits)
    }

    /// Whether the range contains an address.
    ///
    /// - Parameter address: The address. Its port and its interface do not matter.
    public func contains(_ address: SocketAddress) -> Bool {
        switch kind {
        case .unix: return address.family == .unix
        case .network(let network, let bits):
            if address.family == .unix { return false }
            let bytes = Self.mappedAddress(in: address.bytes) ?? address.bytes
            return bytes.count == network.count && Self.masked(bytes, bits) == network
        }
    }

    /// The IPv4 address that an IPv6 address contains (RFC 4291 section 2.5.5.2), or `nil`.
    private static func mappedAddress(in bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count == 16, bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF else {
            return nil
        }
        return Array(bytes[12...])
    }

    /// The address with zeros after the prefix.
    private static func masked(_ bytes: [UInt8], _ bits: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            switch bits - index * 8 {
            case ...0: 0
            case 8...: byte
            case let kept: byte & ~(0xFF >> UInt8(truncatingIfNeeded: kept))
            }
        }
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
        case .network(let bytes, let bits):
            "\(SocketAddress(family: bytes.count == 4 ? .ipv4 : .ipv6, bytes: bytes).host)/\(bits)"
        }
    }
}
