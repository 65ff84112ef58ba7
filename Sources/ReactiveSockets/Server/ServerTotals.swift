/// What a server has done since it was made.
public struct ServerTotals: Sendable, Hashable {
    /// Connections that were served, those that are included.
    public var accepted = 0
    /// Connections that have ended, however that was.
    public var ended = 0
    /// Those of them that broke off.
    public var failed = 0
    /// Peers broken off because there were too many from their address.
    public var refused = 0
    /// Bytes that came from peers, over the connections that have ended.
    public var received = 0
    /// Bytes that went to peers, over the connections that have ended.
    public var sent = 0
}
