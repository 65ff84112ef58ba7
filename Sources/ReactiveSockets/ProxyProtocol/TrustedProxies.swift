// SPDX-License-Identifier: MIT
/// The proxies that a server trusts to name their clients with the PROXY protocol.
///
/// ```swift
/// let proxies = TrustedProxies([try AddressRange("10.0.0.0/8")])
/// let server = try Server(on: address, loops: loops, proxies: proxies) { connection in
///     connection.send(from: connection.received)
/// }
/// ```
///
/// The port then belongs to the proxies. Each connection must begin with a header of version 1 or 2, before the
/// handshake of TLS. The server accepts no other connection:
///
/// - A peer outside ``ranges`` is reset before the server reads a byte, whether it sends a header or not.
/// - A trusted peer without a valid header is reset.
public struct TrustedProxies: Sendable, Hashable {
    /// The addresses of the proxies. A Unix socket needs ``AddressRange/unix``. An empty list rejects all peers.
    public var ranges: [AddressRange]
    /// The time from the accept until the header must be complete. The default is 5 seconds.
    public var headerTimeout: Duration
    /// The maximum size of a header in bytes. The default is 4,096.
    ///
    /// A smaller number than 107 counts as 107, the limit of version 1, and a larger one than 65,551 as 65,551, the
    /// limit of version 2. A connection keeps the additional fields of its header in memory until it is released.
    public var maximumHeaderSize: Int {
        didSet { maximumHeaderSize = Self.allowed(maximumHeaderSize) }
    }

    /// Creates the value. Each parameter sets the property with the same name.
    public init(_ ranges: [AddressRange], headerTimeout: Duration = .seconds(5), maximumHeaderSize: Int = 4096) {
        self.ranges = ranges
        self.headerTimeout = headerTimeout
        self.maximumHeaderSize = Self.allowed(maximumHeaderSize)
    }

    /// Whether a peer may send a header. A peer whose address is unknown may not.
    func trusts(_ address: SocketAddress?) -> Bool {
        guard let address else { return false }
        return ranges.contains { $0.contains(address) }
    }

    private static func allowed(_ size: Int) -> Int { min(max(size, ProxyLine.limit), ProxyHeader.limit) }
}
