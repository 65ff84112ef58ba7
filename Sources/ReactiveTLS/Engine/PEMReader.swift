// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import Glibc

    /// Reads the objects of a ``PEM``.
    struct PEMReader {
        private let source: PEM

        init(_ source: PEM) { self.source = source }

        /// Calls `body` with each certificate, in order. The certificate is valid during the call. `body` returns false if
        /// OpenSSL refuses it.
        ///
        /// - Throws: `unreadable` if there is no certificate, if one is refused, or if the text ends inside of one.
        func forEachCertificate(_ body: (OpaquePointer) throws(TLSError) -> Bool) throws(TLSError) {
            let file = try unsafe open()
            defer { unsafe BIO_free(file) }
            var count = 0
            while let certificate = unsafe PEM_read_bio_X509(file, nil, nil, nil) {
                count += 1
                defer { unsafe X509_free(certificate) }
                guard try unsafe body(certificate) else { throw failure("certificate \(count)") }
            }
            // The end of the text is an error of the last call. Any other error is one of the next certificate.
            let last = ERR_peek_last_error()
            let isAtEnd =
                reactive_tls_error_library(last) == ERR_LIB_PEM
                && reactive_tls_error_reason(last) == PEM_R_NO_START_LINE
            guard isAtEnd, count > 0 else { throw failure(count == 0 ? "a certificate" : "certificate \(count + 1)") }
            ERR_clear_error()
        }

        /// Calls `body` with the private key, which is valid during the call.
        ///
        /// - Throws: `unreadable` if there is none, or if it is encrypted.
        func withKey(_ body: (OpaquePointer) throws(TLSError) -> Void) throws(TLSError) {
            let file = try unsafe open()
            defer { unsafe BIO_free(file) }
            // An encrypted key would ask for its password on the terminal.
            guard let key = unsafe PEM_read_bio_PrivateKey(file, nil, { _, _, _, _ in -1 }, nil) else {
                throw failure("a private key without a password")
            }
            defer { unsafe EVP_PKEY_free(key) }
            try unsafe body(key)
        }

        private func open() throws(TLSError) -> OpaquePointer {
            ERR_clear_error()
            let file: OpaquePointer?
            switch source.source {
            case .file(let path): unsafe file = BIO_new_file(path, "r")
            case .text(let bytes):
                unsafe file = BIO_new(BIO_s_mem())
                if let file = unsafe file {
                    let count = Int32(clamping: bytes.count)
                    guard unsafe BIO_write(file, bytes, count) == count else {
                        unsafe BIO_free(file)
                        throw failure("the text")
                    }
                }
            }
            guard let file = unsafe file else {
                throw TLSError(taking: .unreadable, "cannot read \(source.name)")
            }
            return unsafe file
        }

        private func failure(_ what: String) -> TLSError {
            TLSError(taking: .unreadable, "\(source.name) does not contain \(what) in PEM format")
        }
    }
#endif
