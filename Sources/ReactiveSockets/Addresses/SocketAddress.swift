/// Where a socket is: an IPv4 or IPv6 address with a port, or a Unix socket's path or abstract name.
public struct SocketAddress: Sendable, Hashable {
    /// The families of addresses.
    public enum Family: Sendable, Hashable { case ipv4, ipv6, unix }

    private let number: AddressNumber
    /// The port; 0 asks the system to pick one. A Unix socket has 0.
    public let port: UInt16
    /// The interface that a link-local IPv6 address is on, else 0.
    public let scope: UInt32

    init(family: Family, bytes: [UInt8], port: UInt16 = 0, scope: UInt32 = 0) {
        self.init(AddressNumber(family, bytes), port: port, scope: scope)
    }

    init(_ number: AddressNumber, port: UInt16 = 0, scope: UInt32 = 0) {
        self.number = number
        self.port = port
        self.scope = scope
    }

    /// Which family it is of.
    public var family: Family {
        switch number {
        case .four: .ipv4
        case .six: .ipv6
        case .name: .unix
        }
    }

    /// The address in network order: 4 or 16 bytes; of a Unix socket its path, or a zero and its abstract name, or nothing
    /// where it has no name.
    public var bytes: [UInt8] { number.bytes }

    /// Reads a numeric address: `127.0.0.1`, `::1`, `[::1]`, `fe80::1%eth0`. Names are not looked up: that is what
    /// ``Resolver`` does.
    ///
    /// - Throws: `invalidAddress`, where `host` is no such address or `port` is outside 0...65535.
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
        self.init(family: parsed.family, bytes: parsed.bytes, port: number, scope: parsed.scope)
    }

    /// This machine only, IPv4: `127.0.0.1`.
    public static func loopback(port: UInt16) -> SocketAddress {
        SocketAddress(family: .ipv4, bytes: [127, 0, 0, 1], port: port)
    }

    /// The address without the port, as text.
    public var host: String { AddressText.host(self) }

    /// Whether it stands for all addresses of this machine: `0.0.0.0`, `::`.
    var isWildcard: Bool { number == .four(0) || number == .six(0, 0) }

    /// A port's number, where it is one.
    static func port(_ port: Int) throws(SocketError) -> UInt16 {
        guard let number = UInt16(exactly: port) else {
            throw SocketError(.invalidAddress, "port \(port) is not allowed: a port is a number from 0 to 65535")
        }
        return number
    }
}

extension SocketAddress: CustomStringConvertible {
    /// `127.0.0.1:80`, `[::1]:80`, `/run/echo.sock`, `@name`.
    public var description: String {
        switch family {
        case .ipv4: "\(host):\(port)"
        case .ipv6: "[\(host)]:\(port)"
        case .unix: host
        }
    }
}
