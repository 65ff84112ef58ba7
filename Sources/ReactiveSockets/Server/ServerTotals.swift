// SPDX-License-Identifier: MIT
/// The counters of a server since its creation. None of them decreases.
public struct ServerTotals: Sendable, Hashable {
    /// Connections that were served, including the current ones.
    public var accepted = 0
    /// Connections that have ended for any reason.
    public var ended = 0
    /// Connections that have failed, including those that this side reset. They count as ended too.
    public var failed = 0
    /// Peers that were reset because their address had or opened too many connections. They do not count as accepted.
    public var refused = 0
    /// Peers that were reset because they are no trusted proxies, or sent no valid PROXY header. They do not count as
    /// accepted.
    public var rejected = 0
    /// The sum of the bytes received on the connections that have ended.
    public var received = 0
    /// The sum of the bytes that the kernel accepted for sending on the connections that have ended.
    public var sent = 0
}
