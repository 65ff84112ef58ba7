// SPDX-License-Identifier: MIT
/// The address of a socket: an IPv4 or IPv6 address with a port, or a Unix socket's path or abstract name.
public struct SocketAddress: Sendable, Hashable {
    /// The address families.
    public enum Family: Sendable, Hashable { case ipv4, ipv6, unix }

    let number: AddressNumber
    /// The port in host byte order. The system picks a port if a socket is bound to port 0. A Unix socket has 0.
    public let port: UInt16
    /// The interface index of a link-local IPv6 address (RFC 4007), or 0.
    public let scope: UInt32

    package init(family: Family, bytes: [UInt8], port: UInt16 = 0, scope: UInt32 = 0) {
        self.init(AddressNumber(family, bytes), port: port, scope: scope)
    }

    init(_ number: AddressNumber, port: UInt16 = 0, scope: UInt32 = 0) {
        self.number = number
        self.port = port
        self.scope = scope
    }

    /// The address family.
    public var family: Family {
        switch number {
        case .four: .ipv4
        case .six: .ipv6
        case .name: .unix
        }
    }

    /// The raw address in network byte order.
    ///
    /// An IPv4 address has 4 bytes, and an IPv6 address has 16. A Unix socket has the bytes of its path, a zero byte
    /// followed by its abstract name, or no bytes if it is unnamed.
    public var bytes: [UInt8] { number.bytes }

    /// Parses a numeric address: `127.0.0.1`, `::1`, `[::1]`, `fe80::1%eth0`.
    ///
    /// It never looks up host names. Use a ``Resolver`` for that.
    ///
    /// - Parameters:
    ///   - host: An IPv4 address of four decimal numbers, or an IPv6 address with or without brackets (inet_pton(3)).
    ///     An IPv6 address may end with `%` and the name or index of an interface. A named interface must exist.
    ///   - port: The port.
    /// - Throws: `invalidAddress` if `host` is not a numeric address, or if `port` is outside 0...65535.
    public init(host: String, port: Int) throws(SocketError) {
        let number = try Self.port(port)
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let text = isBracketed ? String(host.dropFirst().dropLast()) : host
        guard let parsed = AddressText.parse(text), parsed.family == .ipv6 || !isBracketed else {
            throw SocketError(
                .invalidAddress,
                "\"\(host)\" is not an address: write IPv4 as 127.0.0.1 or IPv6 as ::1"
            )
        }
        self = parsed.with(port: number)
    }

    /// The IPv4 loopback address, `127.0.0.1`, with a port.
    public static func loopback(port: UInt16) -> SocketAddress {
        SocketAddress(family: .ipv4, bytes: [127, 0, 0, 1], port: port)
    }

    /// The address without the port, as text: `127.0.0.1`, `::1`, `fe80::1%2`, `/run/echo.sock`, `@name`.
    public var host: String { AddressText.host(self) }

    /// The same address with another port.
    package func with(port: UInt16) -> SocketAddress { SocketAddress(number, port: port, scope: scope) }

    /// Whether this is a wildcard address: `0.0.0.0` or `::`.
    var isWildcard: Bool { number == .four(0) || number == .six(0, 0) }

    /// Checks that a number is a port.
    static func port(_ port: Int) throws(SocketError) -> UInt16 {
        guard let number = UInt16(exactly: port) else {
            throw SocketError(.invalidAddress, "port \(port) is not allowed: a port is a number from 0 to 65535")
        }
        return number
    }
}

extension SocketAddress: CustomStringConvertible {
    /// The address as text: `127.0.0.1:80`, `[::1]:80`, `/run/echo.sock`, `@name`.
    public var description: String {
        switch family {
        case .ipv4: "\(host):\(port)"
        case .ipv6: "[\(host)]:\(port)"
        case .unix: host
        }
    }
}
