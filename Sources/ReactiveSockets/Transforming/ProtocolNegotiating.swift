// SPDX-License-Identifier: MIT
/// A transformer whose handshake chooses the application protocol, such as TLS (ALPN, RFC 7301).
package protocol ProtocolNegotiating: ConnectionTransformer {
    /// Restricts the protocols of the configuration to those that the program speaks. Call it before the connection
    /// begins.
    ///
    /// If the configuration names protocols, but none of these, it counts as naming the first of these too. If it names
    /// none, nothing changes.
    ///
    /// - Parameter names: The protocols that the program speaks, at least one.
    func restrictProtocols(to names: [String])
}
