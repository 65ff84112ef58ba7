// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import ReactiveSockets

    extension TLSSession: ProtocolNegotiating {
        /// Restricts the application protocols to those that the program speaks.
        ///
        /// A server applies it when it chooses. So it also restricts a context that is chosen by the host name.
        func restrictProtocols(to names: [String]) {
            switch role {
            case .server: handshake?.spokenProtocols = names
            case .client:
                let configured = native.configuration.applicationProtocols
                guard !configured.isEmpty else { return }
                let spoken = configured.filter { names.contains($0) }
                let list = NativeContext.encoded(spoken.isEmpty ? Array(names.prefix(1)) : spoken)
                // OpenSSL fails here only without memory.
                guard unsafe SSL_set_alpn_protos(session, list, UInt32(clamping: list.count)) == 0 else {
                    fatalError("out of memory for a TLS session")
                }
            }
        }
    }
#endif
