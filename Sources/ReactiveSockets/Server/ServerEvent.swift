// SPDX-License-Identifier: MIT
/// An event of a server, for logs and metrics. Later versions may add cases, so a `switch` needs a `default`.
public enum ServerEvent: Sendable {
    /// A connection is served from now on. The service is called next.
    case accepted(Connection)
    /// A peer was reset because its address has too many connections. It is never `accepted` or `ended`.
    case refused(Connection)
    /// A connection that was `accepted` has been closed, gracefully or with an error.
    case ended(Connection, ConnectionSummary)
    /// A listening socket has failed and accepts no more peers. Other sockets and existing connections continue.
    case failed(SocketError)
}

/// The counters of a connection that has ended.
public struct ConnectionSummary: Sendable {
    /// The time from the start of the service until the descriptor was closed.
    public let duration: Duration
    /// The number of bytes received from the peer, before the transformer, if any. Bytes that a close discards do not
    /// count.
    public let received: Int
    /// The number of bytes for the peer that the kernel accepted, after the transformer, if any.
    public let sent: Int
    /// The error that ended the connection, as of ``Connection/ended``. It is `closed` if this side reset it. nil if
    /// the connection completed.
    public let failure: SocketError?
}
