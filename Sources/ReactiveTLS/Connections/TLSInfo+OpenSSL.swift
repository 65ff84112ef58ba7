// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import ReactiveSockets

    extension TLSInfo {
        /// Reads what a session has agreed on. Safe: everything is copied.
        init(_ session: OpaquePointer) {
            let number = unsafe SSL_version(session)
            version =
                switch number {
                case TLS1_2_VERSION: .tls12
                case TLS1_3_VERSION: .tls13
                default: TLSVersion(number: number, unsafe String(cString: SSL_get_version(session)))
                }
            cipher = unsafe String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(session)))
            serverName = unsafe SSL_get_servername(session, TLSEXT_NAMETYPE_host_name).map {
                unsafe String(cString: $0)
            }
            isResumed = unsafe SSL_session_reused(session) == 1
            applicationProtocol = unsafe Self.applicationProtocol(session)
            peerCertificate = unsafe Self.peerCertificate(session)
        }

        private static func applicationProtocol(_ session: OpaquePointer) -> String? {
            var name: UnsafePointer<UInt8>?
            var count: UInt32 = 0
            unsafe SSL_get0_alpn_selected(session, &name, &count)
            guard let name = unsafe name, count > 0 else { return nil }
            return unsafe String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
        }

        private static func peerCertificate(_ session: OpaquePointer) -> Bytes? {
            guard let certificate = unsafe SSL_get0_peer_certificate(session) else { return nil }
            let count = unsafe i2d_X509(certificate, nil)
            guard count > 0 else { return nil }
            return unsafe Bytes(capacity: Int(count)) { memory in
                var start = unsafe memory.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return unsafe Int(i2d_X509(certificate, &start))
            }
        }
    }
#endif
