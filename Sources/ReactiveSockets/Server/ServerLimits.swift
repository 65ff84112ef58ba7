// SPDX-License-Identifier: MIT
/// The limits of a server. Without limits, it serves as many connections as the process has descriptors.
///
/// A number below 1 counts as 1.
public struct ServerLimits: Sendable, Hashable {
    /// The maximum number of connections that are served at the same time. Further peers wait in the kernel's queue
    /// until one ends. `nil` means no limit.
    ///
    /// With several listening sockets, each may accept one connection more. That connection is not served until another
    /// one ends.
    public var maxConnections: Int? { didSet { maxConnections = Self.limit(maxConnections) } }
    /// The maximum number of connections from one address. Further ones are reset. `nil` means no limit.
    ///
    /// Ports do not matter. Each IPv6 address counts separately, and a host may have many. Unix peers are not counted.
    public var maxConnectionsPerAddress: Int? {
        didSet { maxConnectionsPerAddress = Self.limit(maxConnectionsPerAddress) }
    }
    /// The rate of connections from one address, with bursts. Further ones are reset. `nil` means no limit.
    ///
    /// An IPv6 peer is counted by the first 64 bits of its address (``AddressPrefix``). Unix peers are not counted. A
    /// table of 8,192 entries counts the addresses (``TokenBuckets``).
    public var connectionRatePerAddress: TokenRate?
    /// The time limits of each connection, counted from the start of its service.
    public var timeouts: ConnectionTimeouts

    /// Creates limits.
    public init(
        maxConnections: Int? = nil,
        maxConnectionsPerAddress: Int? = nil,
        connectionRatePerAddress: TokenRate? = nil,
        timeouts: ConnectionTimeouts = ConnectionTimeouts()
    ) {
        self.maxConnections = Self.limit(maxConnections)
        self.maxConnectionsPerAddress = Self.limit(maxConnectionsPerAddress)
        self.connectionRatePerAddress = connectionRatePerAddress
        self.timeouts = timeouts
    }

    private static func limit(_ count: Int?) -> Int? { count.map { max(1, $0) } }
}
