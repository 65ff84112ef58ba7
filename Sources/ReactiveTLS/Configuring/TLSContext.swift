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
        private let native: Lock<NativeContext>
        /// The clock of the ticket keys.
        private let now: @Sendable () -> ContinuousClock.Instant

        /// The settings.
        public var configuration: TLSConfiguration { current.configuration }

        var current: NativeContext { native.withLock { native in native } }

        /// Reads the certificates and keys.
        ///
        /// - Throws: `unreadable`, `keyMismatch`, `invalidConfiguration`, `noCommonCipher` if no cipher of the list
        ///   exists, or `library` if OpenSSL fails for another reason.
        public convenience init(_ configuration: TLSConfiguration = TLSConfiguration()) throws(TLSError) {
            try self.init(configuration, now: { .now })
        }

        init(
            _ configuration: TLSConfiguration,
            now: @escaping @Sendable () -> ContinuousClock.Instant
        ) throws(TLSError) {
            self.now = now
            native = Lock(try NativeContext(configuration, now))
        }

        /// Reads the certificates and keys again, or uses other settings. Connections that have begun keep the old ones.
        ///
        /// The keys of the session tickets are replaced, so that a session that was verified with the old settings is not
        /// resumed. If it throws, nothing has changed.
        ///
        /// - Parameter configuration: The new settings. nil keeps the settings and reads the files again.
        /// - Throws: The errors of ``init(_:)``.
        public func reload(_ configuration: TLSConfiguration? = nil) throws(TLSError) {
            while true {
                let base = current
                let reloaded = try NativeContext(configuration ?? base.configuration, now)
                let old = native.withLock { native -> NativeContext? in
                    // Another thread may have changed the settings since they were read.
                    guard configuration != nil || native === base else { return nil }
                    defer { native = reloaded }
                    return native
                }
                if old != nil { return }
            }
        }

        /// Creates the transformer of a server's connection. Pass it to `Server`, `Listener` or `withServer`.
        ///
        /// Traps if the configuration has no certificate.
        public var server: @Sendable () -> any ConnectionTransformer {
            require(
                configuration.certificateChain != nil && configuration.privateKey != nil,
                "a TLS server needs a certificate: set certificateChain and privateKey of its TLSConfiguration"
            )
            return { [self] in TLSSession(self, .server) }
        }

        /// Creates the transformer of a client's connection.
        ///
        /// - Parameter host: The name that the server's certificate must contain, or an IP address. It is also sent to
        ///   the server (SNI, RFC 6066 section 3), unless it is an address.
        public func client(host: String) -> @Sendable () -> any ConnectionTransformer {
            { [self] in TLSSession(self, .client(host: host)) }
        }
    }
#endif
