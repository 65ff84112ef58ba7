// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSockets

    /// The description of a server, from its `INFO`.
    struct ServerInfo {
        /// The maximum size of a message, with its headers.
        var maximumPayload = 1 << 20
        var requiresTLS = false
        /// Whether the server accepts TLS from a client that wants it.
        var offersTLS = false
        var hasHeaders = false
        /// The challenge that a client with an NKey signs.
        var nonce: String?

        init() {}

        /// - Throws: `malformed`.
        init(_ text: Bytes) throws(NATSError) {
            guard let json = JSONReader.value(of: text), case .object = json else {
                throw NATSError(
                    .malformed,
                    "the server's INFO is not JSON: \(String(text.prefix(80)).debugDescription)"
                )
            }
            if let size = json["max_payload"]?.integer(in: 1...Int.max) {
                maximumPayload = min(size, ServerParser.largestMessage)
            }
            requiresTLS = json["tls_required"]?.bool ?? false
            offersTLS = requiresTLS || json["tls_available"]?.bool ?? false
            hasHeaders = json["headers"]?.bool ?? false
            nonce = json["nonce"]?.string
        }
    }
#endif
