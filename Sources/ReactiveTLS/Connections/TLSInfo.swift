// SPDX-License-Identifier: MIT
#if TLS
    public import ReactiveSockets

    /// What the two sides of a connection have agreed on.
    public struct TLSInfo: Sendable, Hashable {
        /// The version of the protocol.
        public let version: TLSVersion
        /// The name of the cipher, such as "TLS_AES_256_GCM_SHA384".
        public let cipher: String
        /// The application protocol (ALPN), or nil.
        public let applicationProtocol: String?
        /// The name that the client has asked for (SNI), or nil. It is not verified, and may contain any characters, unless
        /// the server's configuration has ``TLSConfiguration/contextForServerName``.
        public let serverName: String?
        /// The peer's certificate in DER format (X.690), or nil if it has sent none.
        public let peerCertificate: Bytes?
        /// Whether the session was resumed, so that the peers exchanged no certificates.
        public let isResumed: Bool
    }
#endif
