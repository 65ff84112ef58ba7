// SPDX-License-Identifier: MIT
import ReactiveSupport

/// The proxy through which a connection has arrived, and what it has said about the client.
public struct ConnectionProxy: Sendable, Hashable {
    /// The address of the proxy itself. `nil` means unknown.
    public let address: SocketAddress?
    /// The address of this machine to which the proxy has connected. `nil` means unknown.
    public let localAddress: SocketAddress?
    /// The header that the proxy has sent.
    public let header: ProxyHeader
}

extension Connection {
    /// The proxy through which the connection has arrived. `nil` means that it did not arrive through a trusted proxy.
    ///
    /// If the proxy has named the client, ``remoteAddress`` and ``localAddress`` are the addresses that it has sent.
    /// Otherwise they are those of the proxy's own connection. Any thread may read it, even after the connection has
    /// ended.
    public var proxy: ConnectionProxy? { core.value.context.proxy }
}
