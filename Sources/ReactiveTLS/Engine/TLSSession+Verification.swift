// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL

    extension TLSSession {
        /// Sets what a server verifies of its clients.
        func setVerification(of native: NativeContext) {
            let verifies = native.configuration.verification == .full
            let mode = verifies ? native.configuration.clientCertificates.mode : SSL_VERIFY_NONE
            unsafe SSL_set_verify(session, mode, nil)
        }

        /// Sends the host's name, and requires it in the certificate.
        func expect(_ host: String, _ verifies: Bool) {
            // OpenSSL would verify no name at all, any subdomain, or only the part before the zero byte.
            if host.isEmpty || host.hasPrefix(".") || host.utf8.contains(0) {
                let what = "no certificate can be verified for the host name \"\(host)\": use the name of one host"
                if verifies { handshake?.refusal = TLSError(.wrongHost, what) }
                return
            }
            let parameters = unsafe SSL_get0_param(session)
            if unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1 {
                // An address is not a name (RFC 6066 section 3).
                if !verifies { unsafe X509_VERIFY_PARAM_set1_ip(parameters, nil, 0) }
                return
            }
            ERR_clear_error()
            unsafe reactive_tls_set_host(session, host)
            if verifies {
                unsafe SSL_set_hostflags(session, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
                // Without a name, OpenSSL would accept every server.
                let isExpected = unsafe SSL_set1_host(session, host) == 1
                if !isExpected { fatalError("out of memory for a TLS session") }
            }
        }
    }

    extension TLSConfiguration.ClientCertificates {
        fileprivate var mode: Int32 {
            switch self {
            case .none: SSL_VERIFY_NONE
            case .optional: SSL_VERIFY_PEER
            case .required: SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
            }
        }
    }
#endif
