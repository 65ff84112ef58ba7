// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    public import ReactiveSockets
    import ReactiveSupport

    /// Certificates, keys and settings that many connections share. Creating it reads the files.
    ///
    /// ```swift
    /// let tls = try TLSContext(.server(certificateChain: .file("chain.pem"), privateKey: .file("key.pem")))
    /// let server = try Server(on: address, loops: loops, transformer: tls.server) { connection in
    ///     connection.send(from: connection.received)
    /// }
    /// ```
    ///
    /// Any thread may use it, and connections on several loops may share it. Connections retain it.
    public final class TLSContext: Sendable {
        /// The settings.
        public let configuration: TLSConfiguration
        let native: NativeContext

        /// Reads the certificates and keys.
        ///
        /// - Throws: `unreadable`, `keyMismatch`, `noCommonCipher` if no cipher of the list exists, or
        ///   `invalidConfiguration`.
        public init(_ configuration: TLSConfiguration = TLSConfiguration()) throws(TLSError) {
            self.configuration = configuration
            native = try NativeContext(configuration)
        }

        /// Creates the transformer of a server's connection. Pass it to `Server`, `Listener` or `withServer`.
        ///
        /// Traps if the configuration has no certificate.
        public var server: @Sendable () -> any ConnectionTransformer {
            precondition(
                configuration.certificateChain != nil && configuration.privateKey != nil,
                "a TLS server needs certificateChain and privateKey"
            )
            return { [self] in TLSTransformer(TLSSession(self, .server)) }
        }

        /// Creates the transformer of a client's connection.
        ///
        /// - Parameter host: The name that the server's certificate must contain, or an IP address. It is also sent to
        ///   the server (SNI, RFC 6066 section 3), unless it is an address.
        public func client(host: String) -> @Sendable () -> any ConnectionTransformer {
            { [self] in TLSTransformer(TLSSession(self, .client(host: host))) }
        }
    }
#endif
