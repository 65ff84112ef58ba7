#if NATS
    /// What TLS is to be; passed on to nats.c. A server without TLS is refused.
    public struct NATSSecurity: Sendable, Hashable {
        /// A file of certificates (PEM) that the server's is checked against; nil: those of the system.
        public var trustedCertificates: String?
        /// A file with this client's certificates (PEM), for a server that asks for one.
        public var certificates: String?
        /// The file with the key to them.
        public var privateKey: String?
        /// The name that has to be in the server's certificate; nil: the one in its address.
        public var expectedHostname: String?
        /// Whether the server's certificate is checked at all. Turn it off in tests only.
        public var verifiesServer: Bool

        /// Makes what is wanted; every part has a default.
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
