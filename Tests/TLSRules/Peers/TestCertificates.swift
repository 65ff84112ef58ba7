// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import ReactiveSockets
    import ReactiveTLS
    import SchedulerConformance

    /// Certificates of a test authority, created in memory. Each identity has a P-256 key.
    struct TestCertificates: Sendable {
        /// A certificate and its key, in PEM format.
        struct Identity: Sendable {
            let certificate: Bytes
            let key: Bytes

            var server: TLSConfiguration {
                .server(certificateChain: .text(certificate), privateKey: .text(key))
            }
        }

        /// The certificates of this process, created on first use.
        static let shared = TestCertificates()

        private static let day = 86400

        let authority: Bytes
        /// For `localhost` and 127.0.0.1.
        let valid: Identity
        /// For another host.
        let other: Identity
        /// For `localhost`, until yesterday.
        let expired: Identity
        /// For `localhost`, signed by an authority that no client trusts.
        let foreign: Identity

        private init() {
            let authority = Issuer(name: "test authority")
            self.authority = authority.certificate
            let local = "DNS:localhost,IP:127.0.0.1"
            valid = authority.issue("localhost", local, validFor: -Self.day...Self.day)
            other = authority.issue("other", "DNS:other.example", validFor: -Self.day...Self.day)
            expired = authority.issue("localhost", local, validFor: -2 * Self.day ... -Self.day)
            foreign = Issuer(name: "another authority").issue("localhost", local, validFor: -Self.day...Self.day)
        }

        /// The settings of a client that trusts the test authority.
        var client: TLSConfiguration {
            var settings = TLSConfiguration()
            settings.trustRoots = .text(authority)
            return settings
        }
    }

    /// A certificate authority.
    ///
    /// Safe: this object owns the key and the certificate, which do not change after `init`.
    @safe
    private final class Issuer {
        private let key: OpaquePointer
        private let own: OpaquePointer

        init(name: String) {
            unsafe key = Self.makeKey()
            unsafe own = Self.make(name, key, -86400...86400)
            unsafe Self.extend(own, NID_basic_constraints, "critical,CA:TRUE", issuer: own)
            unsafe Self.sign(own, issuer: own, key)
        }

        deinit {
            unsafe X509_free(own)
            unsafe EVP_PKEY_free(key)
        }

        var certificate: Bytes { unsafe Self.text { unsafe PEM_write_bio_X509($0, own) } }

        func issue(_ name: String, _ names: String, validFor period: ClosedRange<Int>) -> TestCertificates.Identity {
            let key = unsafe Self.makeKey()
            let certificate = unsafe Self.make(name, key, period)
            defer {
                unsafe X509_free(certificate)
                unsafe EVP_PKEY_free(key)
            }
            unsafe Self.extend(certificate, NID_subject_alt_name, names, issuer: own)
            unsafe Self.sign(certificate, issuer: own, self.key)
            return TestCertificates.Identity(
                certificate: unsafe Self.text { unsafe PEM_write_bio_X509($0, certificate) },
                key: unsafe Self.text { unsafe PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
            )
        }

        private static func makeKey() -> OpaquePointer {
            let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
            defer { unsafe EVP_PKEY_CTX_free(context) }
            var key: OpaquePointer?
            guard unsafe EVP_PKEY_keygen_init(context) == 1,
                unsafe EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
                unsafe EVP_PKEY_keygen(context, &key) == 1, let made = unsafe key
            else { fatalError("OpenSSL creates no key") }
            return unsafe made
        }

        /// Creates a certificate for a key. `period` is in seconds from now.
        private static func make(_ name: String, _ key: OpaquePointer, _ period: ClosedRange<Int>) -> OpaquePointer {
            guard let certificate = unsafe X509_new() else { fatalError("OpenSSL creates no certificate") }
            unsafe X509_set_version(certificate, 2)
            unsafe ASN1_INTEGER_set(X509_get_serialNumber(certificate), Int.random(in: 1...Int(Int32.max)))
            unsafe X509_gmtime_adj(X509_getm_notBefore(certificate), period.lowerBound)
            unsafe X509_gmtime_adj(X509_getm_notAfter(certificate), period.upperBound)
            unsafe X509_NAME_add_entry_by_txt(
                X509_get_subject_name(certificate),
                "CN",
                MBSTRING_UTF8,
                name,
                -1,
                -1,
                0
            )
            unsafe X509_set_pubkey(certificate, key)
            return unsafe certificate
        }

        private static func extend(_ certificate: OpaquePointer, _ kind: Int32, _ value: String, issuer: OpaquePointer)
        {
            var context = unsafe X509V3_CTX()
            unsafe X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
            guard let extra = unsafe X509V3_EXT_conf_nid(nil, &context, kind, value) else {
                fatalError("OpenSSL creates no extension \(value)")
            }
            unsafe X509_add_ext(certificate, extra, -1)
            unsafe X509_EXTENSION_free(extra)
        }

        private static func sign(_ certificate: OpaquePointer, issuer: OpaquePointer, _ key: OpaquePointer) {
            unsafe X509_set_issuer_name(certificate, X509_get_subject_name(issuer))
            if unsafe X509_sign(certificate, key, EVP_sha256()) <= 0 { fatalError("OpenSSL signs no certificate") }
        }

        /// The text that `write` writes.
        private static func text(_ write: (OpaquePointer) -> Int32) -> Bytes {
            guard let memory = unsafe BIO_new(BIO_s_mem()) else { fatalError("OpenSSL has no memory") }
            defer { unsafe BIO_free(memory) }
            if unsafe write(memory) != 1 { fatalError("OpenSSL writes no PEM") }
            return unsafe Bytes(MemoryBIO.take(from: memory))
        }
    }
#endif
