/// What happens to a server, for logs and metrics. More may be added, so a `switch` needs a `default`.
public enum ServerEvent: Sendable {
    /// A connection is served from now on.
    case accepted(Connection)
    /// A peer was broken off because there are too many connections from its address.
    case refused(Connection)
    /// A connection has gone.
    case ended(Connection, ConnectionSummary)
    /// A listening socket has failed; the others go on.
    case failed(SocketError)
}

/// What a connection has done in its life.
public struct ConnectionSummary: Sendable {
    /// From its acceptance to the closing of its descriptor.
    public let duration: Duration
    /// How many bytes came from the peer.
    public let received: Int
    /// How many bytes the kernel took for the peer.
    public let sent: Int
    /// Why it broke off, if it did.
    public let failure: SocketError?
}
