/// The limits of a server.
public struct ServerLimits: Sendable, Hashable {
    /// The maximum number of connections served at once. Further peers wait in the kernel's queue until one ends. `nil` means no
    /// limit.
    public var maxConnections: Int?
    /// The maximum number of connections from one address. Further ones are reset. `nil` means no limit. Unix peers have no address
    /// and are not counted.
    public var maxConnectionsPerAddress: Int?
    /// The time limits of each connection.
    public var timeouts: ConnectionTimeouts

    /// Creates limits. A number below 1 counts as 1.
    public init(
        maxConnections: Int? = nil,
        maxConnectionsPerAddress: Int? = nil,
        timeouts: ConnectionTimeouts = ConnectionTimeouts()
    ) {
        self.maxConnections = maxConnections.map { max(1, $0) }
        self.maxConnectionsPerAddress = maxConnectionsPerAddress.map { max(1, $0) }
        self.timeouts = timeouts
    }
}
