/// How much a server takes on.
public struct ServerLimits: Sendable, Hashable {
    /// So many connections are served at once; further peers wait in the kernel's queue until one ends. nil for as many as
    /// there are descriptors.
    public var maxConnections: Int?
    /// So many connections from one address are served at once; a further one is broken off. nil for no such limit; Unix
    /// peers have no address and are not counted.
    public var maxConnectionsPerAddress: Int?
    /// For each connection.
    public var timeouts: ConnectionTimeouts

    /// Makes limits. A number below one counts as one.
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
