// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSockets

    /// The application protocols (ALPN, RFC 7301) that a side speaks.
    struct SpokenProtocols {
        private let names: [String]

        /// Those of a server. With `acme-tls/1` a certificate authority ends the connection after the handshake, and no
        /// bytes follow (RFC 8737 section 3).
        static let server = SpokenProtocols(names: ["http/1.1", "http/1.0", "acme-tls/1"])
        /// Those of a client.
        static let client = SpokenProtocols(names: ["http/1.1", "http/1.0"])

        /// Lets new transformers choose only these protocols. Otherwise a peer could choose HTTP/2, for example.
        func restrict(
            _ make: @escaping @Sendable () -> any ConnectionTransformer
        ) -> @Sendable () -> any ConnectionTransformer {
            { [names] in
                let transformer = make()
                (transformer as? any ProtocolNegotiating)?.restrictProtocols(to: names)
                return transformer
            }
        }

        /// Returns settings whose new transformers choose only these protocols.
        func restricted(_ settings: ConnectSettings) -> ConnectSettings {
            var settings = settings
            settings.transformer = settings.transformer.map(restrict)
            return settings
        }
    }
#endif
