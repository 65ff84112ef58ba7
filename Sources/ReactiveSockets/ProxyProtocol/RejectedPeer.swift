// SPDX-License-Identifier: MIT
/// A peer that was reset instead of becoming a connection, because of the PROXY protocol.
public struct RejectedPeer: Sendable, Hashable {
    /// The address of the peer that connected. `nil` means unknown.
    public let address: SocketAddress?
    /// Why the peer was rejected.
    public let error: ProxyProtocolError
}

extension RejectedPeer: CustomStringConvertible {
    /// The peer in one line: `192.0.2.1:50000 was rejected: the connection does not begin with a PROXY header`.
    public var description: String {
        "\(address.map(\.description) ?? "a peer without an address") was rejected: \(error.message)"
    }
}
