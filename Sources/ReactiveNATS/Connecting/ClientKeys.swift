// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSockets
    import ReactiveTLS

    /// The credentials and certificates of a client, as read from their files.
    struct ClientKeys: Sendable {
        let proof: ClientProof
        private let tls: TLSContext?
        private let expectedHostname: String?

        /// Whether reading the keys may block.
        static func areInFiles(_ options: NATSOptions) -> Bool {
            options.credentials.areInFiles || options.security != nil
        }

        /// - Throws: `wrongCredentials` or `insecure` if a file cannot be used.
        init(_ options: NATSOptions) throws(NATSError) {
            proof = try ClientProof(options.credentials)
            expectedHostname = options.security?.expectedHostname
            tls = try options.security.map { (security) throws(NATSError) in try Self.context(security) }
        }

        /// Creates a factory of TLS sessions for a host. `nil` if the options have no TLS settings.
        func sessions(for host: String) -> (@Sendable () -> any ConnectionTransformer)? {
            tls?.client(host: expectedHostname ?? host)
        }

        private static func context(_ security: NATSSecurity) throws(NATSError) -> TLSContext {
            var settings = TLSConfiguration()
            settings.trustRoots = security.trustedCertificates.map { .file($0) }
            settings.certificateChain = security.certificates.map { .file($0) }
            settings.privateKey = security.privateKey.map { .file($0) }
            if !security.verifiesServer { settings.verification = .insecureDoNotVerify }
            do {
                return try TLSContext(settings)
            } catch {
                throw NATSError(.insecure, "the TLS settings: \(error.message)")
            }
        }
    }
#endif
