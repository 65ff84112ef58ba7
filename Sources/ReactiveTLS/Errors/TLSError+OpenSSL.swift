// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL

    /// What OpenSSL's error queue of this thread says.
    struct LibraryFailure {
        /// The error that ``take()`` has chosen, or 0.
        let code: UInt
        let reason: String

        /// Takes the first error of TLS in the queue, or the last error if none is of TLS. Empties the queue.
        static func take() -> LibraryFailure {
            var code = ERR_get_error()
            while code != 0, reactive_tls_error_library(code) != ERR_LIB_SSL {
                let next = ERR_get_error()
                if next == 0 { break }
                code = next
            }
            ERR_clear_error()
            // Safe: the text is a constant of OpenSSL.
            let text = unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) }
            return LibraryFailure(code: code, reason: text ?? (code == 0 ? "" : "error \(code)"))
        }

        var isOfTLS: Bool { reactive_tls_error_library(code) == ERR_LIB_SSL }
        var number: Int32 { reactive_tls_error_reason(code) }
    }

    extension TLSError {
        /// Takes OpenSSL's errors, and appends their reason to the message.
        init(taking code: Code, _ problem: String) {
            let reason = LibraryFailure.take().reason
            self.init(code, reason: reason, "\(problem): \(reason)")
        }

        /// The error of a failed handshake or record.
        ///
        /// - Parameters:
        ///   - failure: What the error queue says.
        ///   - verification: The result of the verification of the peer's certificate.
        ///   - isHandshake: Whether the handshake was still under way.
        ///   - host: The host that a client has asked for, or nil.
        static func session(
            _ failure: LibraryFailure,
            verification: Int,
            isHandshake: Bool,
            host: String?
        ) -> TLSError {
            guard failure.isOfTLS else {
                return TLSError(.library, reason: failure.reason, "OpenSSL failed: \(failure.reason)")
            }
            if failure.number == SSL_R_CERTIFICATE_VERIFY_FAILED {
                return certificate(Int32(clamping: verification), host)
            }
            if failure.number >= SSL_AD_REASON_OFFSET { return alert(failure) }
            let code = Self.code(failure.number, isHandshake: isHandshake)
            return TLSError(code, reason: failure.reason, advice(code, failure.reason))
        }

        private static func code(_ reason: Int32, isHandshake: Bool) -> Code {
            switch reason {
            case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_NO_PROTOCOLS_AVAILABLE, SSL_R_VERSION_TOO_LOW,
                SSL_R_VERSION_TOO_HIGH,
                SSL_R_WRONG_SSL_VERSION:
                .noCommonVersion
            case SSL_R_NO_SHARED_CIPHER, SSL_R_NO_CIPHERS_AVAILABLE, SSL_R_NO_SUITABLE_KEY_SHARE,
                SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM, SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS:
                .noCommonCipher
            case SSL_R_NO_APPLICATION_PROTOCOL: .noCommonProtocol
            case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: .certificateRequired
            case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST: .notTLS
            case SSL_R_WRONG_VERSION_NUMBER, SSL_R_BAD_RECORD_TYPE, SSL_R_UNKNOWN_PROTOCOL:
                isHandshake ? .notTLS : .badRecord
            case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC, SSL_R_BAD_DECOMPRESSION: .badRecord
            case SSL_R_DATA_LENGTH_TOO_LONG, SSL_R_ENCRYPTED_LENGTH_TOO_LONG, SSL_R_PACKET_LENGTH_TOO_LONG:
                .recordTooLarge
            case SSL_R_UNEXPECTED_EOF_WHILE_READING: .truncated
            default: .malformed
            }
        }

        private static func advice(_ code: Code, _ reason: String) -> String {
            switch code {
            case .noCommonVersion: "the two sides have no TLS version in common (\(reason)): check minimumVersion"
            case .noCommonCipher:
                "the two sides have no cipher in common (\(reason)): check ciphers and the kind of key"
            case .noCommonProtocol: "the two sides have no application protocol in common: check applicationProtocols"
            case .certificateRequired: "the client has sent no certificate, and clientCertificates is .required"
            case .notTLS: "the peer does not speak TLS (\(reason)): check its port"
            case .badRecord: "the peer sent a record that cannot be authenticated (\(reason))"
            case .recordTooLarge: "the peer sent a record that is too long (\(reason))"
            case .truncated: "the peer ended the connection without close_notify: bytes may be missing"
            default: "the peer violates the protocol (\(reason))"
            }
        }

        private static func certificate(_ result: Int32, _ host: String?) -> TLSError {
            // Safe: the text is a constant of OpenSSL.
            let reason = unsafe X509_verify_cert_error_string(Int(result)).map { unsafe String(cString: $0) } ?? ""
            let server = host.map { "the certificate of \($0)" } ?? "the peer's certificate"
            switch result {
            case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID:
                return TLSError(.certificateExpired, reason: reason, "\(server) is not valid today: \(reason)")
            case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
                return TLSError(.wrongHost, reason: reason, "\(server) is for another host: \(reason)")
            case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
                X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
                return TLSError(.unknownIssuer, reason: reason, "\(server) has an unknown issuer: add it to trustRoots")
            default:
                return TLSError(.invalidCertificate, reason: reason, "\(server) is invalid: \(reason)")
            }
        }

        private static func alert(_ failure: LibraryFailure) -> TLSError {
            let number = failure.number - SSL_AD_REASON_OFFSET
            // Safe: the text is a constant of OpenSSL.
            let name = unsafe SSL_alert_desc_string_long(number).map { unsafe String(cString: $0) } ?? "\(number)"
            let code: Code =
                switch number {
                case SSL_AD_PROTOCOL_VERSION: .noCommonVersion
                case SSL_AD_CERTIFICATE_REQUIRED: .certificateRequired
                case SSL_AD_NO_APPLICATION_PROTOCOL: .noCommonProtocol
                case SSL_AD_UNRECOGNIZED_NAME: .unknownServerName
                default: .alert
                }
            return TLSError(code, reason: failure.reason, "the peer refused the connection with the alert \"\(name)\"")
        }
    }
#endif
