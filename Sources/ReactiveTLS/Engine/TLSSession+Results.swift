// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import ReactiveSockets

    extension TLSSession {
        /// Returns if OpenSSL needs more input, or if the handshake waits for the answer to the host name. Throws the error
        /// otherwise.
        func check(_ result: Int32) throws(SocketError) {
            switch unsafe SSL_get_error(session, result) {
            case SSL_ERROR_WANT_READ: return
            case SSL_ERROR_ZERO_RETURN where !hasAgreed:
                enter(.failed)
                throw error(TLSError(.truncated, "the peer ended the connection during the handshake"))
            case SSL_ERROR_WANT_CLIENT_HELLO_CB:
                enter(.suspended)
                return
            default: break
            }
            let verification = unsafe SSL_get_verify_result(session)
            let isHandshake = !hasAgreed
            enter(.failed)
            var host: String?
            if case .client(let name) = role { host = name }
            let failure = LibraryFailure.take()
            if let refusal = handshake?.refusal { throw self.error(refusal) }
            throw error(.session(failure, verification: verification, isHandshake: isHandshake, host: host))
        }

        func error(_ error: TLSError) -> SocketError {
            SocketError(.tls, error.message, cause: error)
        }
    }
#endif
