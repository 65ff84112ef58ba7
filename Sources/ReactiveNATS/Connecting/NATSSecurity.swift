// SPDX-License-Identifier: MIT
#if NATS
    /// The TLS settings. A server without TLS is refused. The files are read for each attempt to connect.
    public struct NATSSecurity: Sendable, Hashable {
        /// A PEM file with the certificates that verify the server's certificate. `nil` uses the system's certificates.
        public var trustedCertificates: String?
        /// A PEM file with the client's certificate chain, for a server that requires one.
        public var certificates: String?
        /// The file with the private key of `certificates`.
        public var privateKey: String?
        /// The host name that the server's certificate must contain. `nil` uses the name in the server's address.
        public var expectedHostname: String?
        /// Whether to verify the server's certificate. Disable it only in tests.
        public var verifiesServer: Bool

        /// Creates TLS settings. Every parameter has a default.
        public init(
            trustedCertificates: String? = nil,
            certificates: String? = nil,
            privateKey: String? = nil,
            expectedHostname: String? = nil,
            verifiesServer: Bool = true
        ) {
            self.trustedCertificates = trustedCertificates
            self.certificates = certificates
            self.privateKey = privateKey
            self.expectedHostname = expectedHostname
            self.verifiesServer = verifiesServer
        }
    }
#endif
