// SPDX-License-Identifier: MIT
/// An event of a server, for logs and metrics. Later versions may add cases, so a `switch` needs a `default`.
public enum ServerEvent: Sendable {
    /// The server has accepted a connection. It calls the service next.
    case accepted(Connection)
    /// A peer was reset because its address has or opens too many connections. No `accepted` and no `ended` is sent for it.
    case refused(Connection)
    /// A peer was reset because it is no trusted proxy, or sent no valid PROXY header (``TrustedProxies``). No `accepted`
    /// and no `ended` is sent for it.
    case rejected(RejectedPeer)
    /// A connection that was `accepted` has been closed, gracefully or with an error.
    case ended(Connection, ConnectionSummary)
    /// A listening socket has failed and accepts no more peers. Other sockets and existing connections continue.
    case failed(SocketError)
}

/// The counters of a connection that has ended.
public struct ConnectionSummary: Sendable {
    /// The time from the start of the service until the descriptor was closed.
    public let duration: Duration
    /// The number of bytes received from the peer, before any transformer. Bytes that a close discards do not count.
    public let received: Int
    /// The number of bytes for the peer that the kernel accepted, after any transformer.
    public let sent: Int
    /// The error with which ``Connection/ended`` failed. If the result of the service failed, this is the error of the
    /// service. After ``Connection/abort()`` and at the end of a drain it is `closed`. `nil` means that the connection
    /// completed.
    public let failure: SocketError?
}
