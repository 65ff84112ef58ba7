// SPDX-License-Identifier: MIT
#if TLS
    public import ReactiveSignals

    /// The settings of a ``TLSContext``.
    ///
    /// Renegotiation, compression and early data are always off.
    public struct TLSConfiguration: Sendable {
        /// What this side verifies of the peer's certificate.
        public enum Verification: Sendable, Hashable {
            /// The chain, its dates and, in a client, the host name.
            case full
            /// Nothing. Anybody between the two peers can read and change everything.
            case insecureDoNotVerify
        }

        /// Whether a server asks its clients for a certificate.
        public enum ClientCertificates: Sendable, Hashable {
            /// It does not ask.
            case none
            /// A client may send a certificate, which must be valid.
            case optional
            /// A client without a valid certificate is refused.
            case required
        }

        /// The certificates that this side sends: its own first, then the intermediate ones. A server needs one.
        public var certificateChain: PEM?
        /// The private key of the first certificate.
        public var privateKey: PEM?
        /// The certificates to trust. nil means those of the system, as OpenSSL finds them.
        public var trustRoots: PEM?
        /// What to verify. The default is everything.
        public var verification = Verification.full
        /// Whether a server asks its clients for a certificate. The default is `none`.
        public var clientCertificates = ClientCertificates.none
        /// The application protocols that the program speaks, in the order of preference, such as `["imap"]` (ALPN, RFC
        /// 7301). Each has 1 to 255 bytes.
        ///
        /// `HTTPServer`, `HTTPClient` and `WebSocket` need none. They ignore names of protocols that they do not speak, such
        /// as `h2`, and use `http/1.1` instead.
        public var applicationProtocols: [String] = []
        /// The lowest version. The default is TLS 1.2.
        public var minimumVersion = TLSVersion.tls12
        /// The highest version. The default is TLS 1.3.
        public var maximumVersion = TLSVersion.tls13
        /// The ciphers of TLS 1.2, as a list of OpenSSL (openssl-ciphers(1)). nil means those with forward secrecy and
        /// authenticated encryption. The ciphers of TLS 1.3 are always OpenSSL's.
        public var ciphers: String?
        /// The time within which a handshake must complete. Otherwise the connection fails with `timedOut`. The default
        /// is 10 seconds.
        public var handshakeTimeout = Duration.seconds(10)
        /// Whether a client resumes its last session with a host, and a server allows it (RFC 8446 section 2.2). A resumed
        /// handshake sends no certificates, and costs less. A session whose connection was not closed properly is not
        /// resumed. The default is true.
        ///
        /// A server keeps no state for that: its tickets contain the session. Connections on all loops share the keys of
        /// the tickets, so a session can be resumed on another loop.
        public var resumesSessions = true
        /// The interval at which a server replaces the key of its session tickets, at least one second. The default is 12
        /// hours.
        ///
        /// The previous key decrypts until its tickets have expired. A ticket is valid for this interval, and at most two
        /// hours. In TLS 1.2, a stolen key decrypts the recorded connections whose tickets it encrypted. In TLS 1.3 it
        /// decrypts none. ``TLSContext/reload(_:)`` replaces the keys too.
        public var ticketKeyInterval = Duration.seconds(12 * 60 * 60)
        /// Chooses the certificates and settings of a server's connection by the host name that the client has sent (SNI,
        /// RFC 6066 section 3). nil, the default, means that all clients receive those of this configuration.
        ///
        /// The loop of the connection calls it with the name, or with nil if the client has sent none. The name is
        /// ASCII, 1 to 255 bytes, and not verified otherwise. The signal may answer later and from any thread. Until then
        /// the handshake is suspended, and costs no thread:
        ///
        /// - The first value is the context of the connection. Later events have no effect. The context's own
        ///   `contextForServerName`, `handshakeTimeout` and `ticketKeyInterval` are not used.
        /// - If the signal completes without a value, the connection uses this configuration.
        /// - If the signal fails, the connection fails with `unknownServerName`, and the client receives the alert
        ///   `unrecognized_name`.
        ///
        /// If the connection ends earlier, or ``handshakeTimeout`` passes, the subscription is disposed when the
        /// connection is released. A session is resumed only if the same context is chosen again.
        ///
        /// ```swift
        /// configuration.contextForServerName = { name in
        ///     name == "a.example" ? .just(contextOfA) : .fail(UnknownHost())
        /// }
        /// ```
        public var contextForServerName: (@Sendable (String?) -> Signal<TLSContext, any Error>)?
        /// Receives the secrets of each connection, in the format of `SSLKEYLOGFILE`, so that tools can decrypt what was
        /// recorded. It is called on the loop of the connection, inside of the handshake. It must not send, close or end
        /// sending: that traps.
        public var keyLog: (@Sendable (String) -> Void)?

        /// Creates the settings of a client that verifies servers with the system's certificates.
        public init() {}

        /// The settings of a server.
        ///
        /// - Parameters:
        ///   - certificateChain: The server's certificate, then the intermediate ones.
        ///   - privateKey: The private key of the first certificate.
        public static func server(certificateChain: PEM, privateKey: PEM) -> TLSConfiguration {
            var configuration = TLSConfiguration()
            configuration.certificateChain = certificateChain
            configuration.privateKey = privateKey
            return configuration
        }
    }
#endif
