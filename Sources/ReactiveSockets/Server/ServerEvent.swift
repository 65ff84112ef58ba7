/// An event of a server, for logs and metrics. Later versions may add cases, so a `switch` needs a `default`.
public enum ServerEvent: Sendable {
    /// A connection is served from now on.
    case accepted(Connection)
    /// A peer was reset because its address has too many connections.
    case refused(Connection)
    /// A connection has been closed.
    case ended(Connection, ConnectionSummary)
    /// A listening socket has failed. The others continue.
    case failed(SocketError)
}

/// The counters of a connection that has ended.
public struct ConnectionSummary: Sendable {
    /// The time from the start of the service until the descriptor was closed.
    public let duration: Duration
    /// The number of bytes received from the peer.
    public let received: Int
    /// The number of bytes for the peer that the kernel accepted.
    public let sent: Int
    /// The error that ended the connection, or nil.
    public let failure: SocketError?
}
