// SPDX-License-Identifier: MIT
#if TLS
    /// The side of the handshake that a connection takes.
    public enum TLSRole: Sendable, Hashable {
        /// It waits for the client's hello, and sends its certificate.
        case server
        /// It begins the handshake. `host` is the name that the server's certificate must contain, or an IP address. It
        /// is also sent to the server (SNI, RFC 6066 section 3), unless it is an address.
        case client(host: String)
    }
#endif
