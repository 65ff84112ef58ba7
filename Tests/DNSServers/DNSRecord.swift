// SPDX-License-Identifier: MIT
import ReactiveSockets

/// A record of a response.
package struct DNSRecord {
    private let owner: String?
    private let type: UInt16
    private let ttl: UInt32
    private let data: [UInt8]

    /// An address record of the question's name, or of `owner`.
    package init(_ address: String, ttl: UInt32 = 60, of owner: String? = nil) {
        self.owner = owner
        self.ttl = ttl
        guard let parsed = try? SocketAddress(host: address, port: 0) else { preconditionFailure(address) }
        type = parsed.family == .ipv4 ? DNSQuery.Kind.a.rawValue : DNSQuery.Kind.aaaa.rawValue
        data = parsed.bytes
    }

    /// The record that makes a name an alias.
    package init(alias: String, of owner: String? = nil, ttl: UInt32 = 60) {
        self.owner = owner
        self.ttl = ttl
        type = 5
        data = Self.encoded(alias)
    }

    func bytes(for name: String) -> [UInt8] {
        Self.encoded(owner ?? name) + Self.big(type) + [0, 1] + Self.big(UInt16(ttl >> 16))
            + Self.big(UInt16(ttl & 0xFFFF)) + Self.big(UInt16(data.count)) + data
    }

    private static func encoded(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    private static func big(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }
}
