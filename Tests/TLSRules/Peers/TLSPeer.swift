// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import ReactiveSockets
    import ReactiveTLS
    import SchedulerConformance

    /// A peer that uses OpenSSL directly, over memory. The check decides which of its bytes the socket carries, and when.
    ///
    /// Safe: this object owns OpenSSL's objects. Only the thread of the check uses it.
    @safe
    final class TLSPeer {
        enum Role {
            case client
            /// A server with a certificate.
            case server(TestCertificates.Identity)
        }

        enum Phase: Equatable {
            case handshaking
            case established
            /// The other side has sent close_notify.
            case notified
            /// The other side has sent a fatal alert, with this number (RFC 8446 section 6).
            case alerted(Int32)
            /// OpenSSL failed for this reason.
            case failed(Int32)
        }

        let raw: RawPeer
        private(set) var phase = Phase.handshaking
        /// The decrypted bytes so far.
        private(set) var received: [UInt8] = []
        /// The end of the socket's stream, or nil.
        private(set) var end: RawPeer.Read?
        /// Encrypted bytes that have not been sent.
        var outbox: [UInt8] = []
        /// Whether `step` reads from the socket.
        var isReading = true
        private let session: OpaquePointer
        private let input: OpaquePointer
        private let output: OpaquePointer

        init(_ raw: RawPeer, _ role: Role, version: TLSVersion = .tls13) {
            self.raw = raw
            // OpenSSL fails here only without memory.
            guard let context = unsafe SSL_CTX_new(TLS_method()), let session = unsafe SSL_new(context),
                let input = unsafe BIO_new(BIO_s_mem()), let output = unsafe BIO_new(BIO_s_mem())
            else { fatalError("OpenSSL creates no session") }
            // The session retains it.
            unsafe SSL_CTX_free(context)
            unsafe (self.session, self.input, self.output) = (session, input, output)
            unsafe SSL_set_bio(session, input, output)
            // An empty input is not the end of the stream.
            unsafe BIO_ctrl(input, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, nil)
            let number = version == .tls12 ? TLS1_2_VERSION : TLS1_3_VERSION
            unsafe SSL_ctrl(session, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(number), nil)
            unsafe SSL_ctrl(session, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(number), nil)
            switch role {
            case .client: unsafe SSL_set_connect_state(session)
            case .server(let identity):
                unsafe SSL_set_accept_state(session)
                unsafe Self.use(identity, in: session)
            }
        }

        deinit { unsafe SSL_free(session) }

        private static func use(_ identity: TestCertificates.Identity, in session: OpaquePointer) {
            let certificate = unsafe MemoryBIO.with(Array(identity.certificate)) { memory in
                unsafe PEM_read_bio_X509(memory, nil, nil, nil)
            }
            let key = unsafe MemoryBIO.with(Array(identity.key)) { memory in
                unsafe PEM_read_bio_PrivateKey(memory, nil, nil, nil)
            }
            defer {
                unsafe X509_free(certificate)
                unsafe EVP_PKEY_free(key)
            }
            let isUsed = unsafe SSL_use_certificate(session, certificate) == 1
            guard isUsed, unsafe SSL_use_PrivateKey(session, key) == 1 else {
                fatalError("OpenSSL refuses the certificate")
            }
        }

        // MARK: Moving bytes

        /// Reads what the socket has, lets OpenSSL process it, and sends the outbox as far as the socket accepts it.
        func step() {
            if isReading { readSocket() }
            advance()
            flush()
        }

        /// Reads what the socket has, at most `limit` bytes, and puts it into OpenSSL's input.
        func readSocket(_ limit: Int = 65536) {
            guard end == nil else { return }
            switch raw.receive(limit) {
            case .bytes(let bytes): unsafe MemoryBIO.put(bytes, into: input)
            case .nothing: break
            case let last: end = last
            }
        }

        func flush() {
            if outbox.isEmpty { return }
            outbox.removeFirst(raw.send(outbox))
        }

        /// Lets OpenSSL process its input. New output is added to the outbox.
        func advance() {
            ERR_clear_error()
            if phase == .handshaking {
                let result = unsafe SSL_do_handshake(session)
                if result == 1 { phase = .established } else { record(result) }
            }
            if phase == .established { decrypt() }
            collect()
        }

        private func decrypt() {
            var memory = [UInt8](repeating: 0, count: 16384)
            while true {
                var count = 0
                let result = unsafe SSL_read_ex(session, &memory, memory.count, &count)
                if result != 1 { return record(result) }
                received += memory[..<count]
            }
        }

        private func collect() { outbox += unsafe MemoryBIO.take(from: output) }

        private func record(_ result: Int32) {
            switch unsafe SSL_get_error(session, result) {
            case SSL_ERROR_WANT_READ: break
            case SSL_ERROR_ZERO_RETURN: phase = .notified
            default:
                let reason = reactive_tls_error_reason(ERR_get_error())
                ERR_clear_error()
                phase = reason >= SSL_AD_REASON_OFFSET ? .alerted(reason - SSL_AD_REASON_OFFSET) : .failed(reason)
            }
        }

        // MARK: Records

        /// Encrypts bytes into the outbox. Each record has at most 16 KiB.
        func write(_ bytes: [UInt8]) {
            var done = 0
            while done < bytes.count {
                var count = 0
                let result = unsafe bytes[done...].withUnsafeBytes { part in
                    unsafe SSL_write_ex(session, part.baseAddress, part.count, &count)
                }
                if result != 1 { fatalError("OpenSSL does not encrypt") }
                done += count
                collect()
            }
        }

        /// Adds a KeyUpdate to the outbox (RFC 8446 section 4.6.3).
        func updateKeys(requesting: Bool) {
            unsafe SSL_key_update(session, requesting ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED)
            unsafe SSL_do_handshake(session)
            collect()
        }

        /// Adds close_notify to the outbox.
        func notifyClose() {
            unsafe SSL_shutdown(session)
            ERR_clear_error()
            collect()
        }

        /// Whether the session was resumed.
        var isResumed: Bool { unsafe SSL_session_reused(session) == 1 }
    }
#endif
