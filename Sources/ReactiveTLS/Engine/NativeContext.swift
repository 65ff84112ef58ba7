// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport

    /// The owner of an `SSL_CTX`.
    ///
    /// Safe: this object owns the context, which does not change after `init`. OpenSSL allows any thread to create
    /// sessions of it.
    @safe
    final class NativeContext: Sendable {
        private let context: UnsafeTransfer<OpaquePointer>
        /// The settings with which the context was created.
        let configuration: TLSConfiguration
        /// The application protocols in the format of ALPN: each with its length before it.
        private let protocols: [UInt8]
        /// The last sessions of clients. nil means that sessions are not resumed.
        let cache: SessionCache?
        /// The keys of the tickets of a server.
        let ticketKeys: TicketKeys

        /// Ciphers with forward secrecy and authenticated encryption (RFC 9325 section 4.2).
        private static let standardCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL:!PSK"

        /// The groups of key exchanges, as Mozilla's intermediate configuration recommends. The FIPS module lacks X25519.
        private static let standardGroups = ["X25519:P-256:P-384", "P-256:P-384"]

        var pointer: OpaquePointer { unsafe context.value }

        init(
            _ configuration: TLSConfiguration,
            _ now: @escaping @Sendable () -> ContinuousClock.Instant
        ) throws(TLSError) {
            protocols = Self.encoded(try Self.checked(configuration.applicationProtocols))
            cache = configuration.resumesSessions ? SessionCache() : nil
            self.configuration = configuration
            ticketKeys = TicketKeys(interval: configuration.ticketKeyInterval, now: now)
            ERR_clear_error()
            guard let context = unsafe SSL_CTX_new(TLS_method()) else { throw Self.failure("creating a TLS context") }
            unsafe self.context = UnsafeTransfer(context)
            try setUp(configuration)
        }

        deinit { unsafe SSL_CTX_free(context.value) }

        private func setUp(_ configuration: TLSConfiguration) throws(TLSError) {
            unsafe reactive_tls_set_modes(pointer)
            unsafe reactive_tls_set_options(pointer)
            guard unsafe reactive_tls_set_resumption(pointer, cache == nil ? 0 : 1) == 1 else {
                throw Self.failure("making the identity of a TLS context")
            }
            guard configuration.minimumVersion <= configuration.maximumVersion else {
                let versions =
                    "minimumVersion is \(configuration.minimumVersion), maximumVersion \(configuration.maximumVersion)"
                throw TLSError(.invalidConfiguration, "no version is allowed: \(versions)")
            }
            let (minimum, maximum) = (configuration.minimumVersion.number, configuration.maximumVersion.number)
            guard unsafe reactive_tls_set_versions(pointer, minimum, maximum) == 1 else {
                throw Self.failure("setting the versions")
            }
            guard configuration.ticketKeyInterval >= TicketKeys.shortestInterval else {
                let interval = configuration.ticketKeyInterval
                throw TLSError(.invalidConfiguration, "ticketKeyInterval is \(interval): use at least one second")
            }
            let ciphers = configuration.ciphers ?? Self.standardCiphers
            guard unsafe SSL_CTX_set_cipher_list(pointer, ciphers) == 1 else {
                throw TLSError(
                    .noCommonCipher,
                    reason: LibraryFailure.take().reason,
                    "no cipher matches \"\(ciphers)\""
                )
            }
            guard Self.standardGroups.contains(where: { unsafe reactive_tls_set_groups(pointer, $0) == 1 }) else {
                throw Self.failure("setting the groups of key exchanges")
            }
            ERR_clear_error()
            try setIdentity(configuration)
            try setTrust(configuration)
            setCallbacks()
        }

        // MARK: Certificates

        private func setIdentity(_ configuration: TLSConfiguration) throws(TLSError) {
            switch (configuration.certificateChain, configuration.privateKey) {
            case (nil, nil): return
            case (nil, _?): throw TLSError(.invalidConfiguration, "privateKey is set, but certificateChain is nil")
            case (_?, nil): throw TLSError(.invalidConfiguration, "certificateChain is set, but privateKey is nil")
            case (let chain?, let key?):
                try useChain(chain)
                try useKey(key, of: chain)
            }
        }

        private func useChain(_ source: PEM) throws(TLSError) {
            var isFirst = true
            try unsafe PEMReader(source).forEachCertificate { certificate in
                if isFirst {
                    isFirst = false
                    return unsafe SSL_CTX_use_certificate(self.pointer, certificate) == 1
                }
                unsafe X509_up_ref(certificate)
                if unsafe reactive_tls_add_chain(self.pointer, certificate) == 1 { return true }
                unsafe X509_free(certificate)
                return false
            }
        }

        private func useKey(_ source: PEM, of chain: PEM) throws(TLSError) {
            try unsafe PEMReader(source).withKey { key throws(TLSError) in
                guard unsafe SSL_CTX_use_PrivateKey(self.pointer, key) == 1,
                    unsafe SSL_CTX_check_private_key(self.pointer) == 1
                else {
                    let reason = LibraryFailure.take().reason
                    let what = "the private key of \(source.name) does not belong to the certificate of \(chain.name)"
                    throw TLSError(.keyMismatch, reason: reason, what)
                }
            }
        }

        private func setTrust(_ configuration: TLSConfiguration) throws(TLSError) {
            if let roots = configuration.trustRoots {
                let store = unsafe SSL_CTX_get_cert_store(pointer)
                try unsafe PEMReader(roots).forEachCertificate { certificate in
                    unsafe X509_STORE_add_cert(store, certificate) == 1
                }
            } else {
                guard unsafe SSL_CTX_set_default_verify_paths(pointer) == 1 else {
                    throw Self.failure("reading the system's certificates")
                }
            }
        }

        // MARK: Callbacks

        private func setCallbacks() {
            // Sessions of the context retain this object.
            let owner = unsafe Unmanaged.passUnretained(self).toOpaque()
            if !protocols.isEmpty {
                unsafe SSL_CTX_set_alpn_protos(pointer, protocols, UInt32(clamping: protocols.count))
                unsafe SSL_CTX_set_alpn_select_cb(
                    pointer,
                    { native, chosen, length, offered, count, owner in
                        guard let owner = unsafe owner, let offered = unsafe offered, let native = unsafe native
                        else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                        let context = unsafe Unmanaged<NativeContext>.fromOpaque(owner).takeUnretainedValue()
                        let list = unsafe UnsafeBufferPointer(start: offered, count: Int(count))
                        let spoken = unsafe TLSSession.owner(of: native)?.handshake?.spokenProtocols ?? []
                        guard let match = unsafe context.choose(from: list, among: spoken)
                        else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                        unsafe chosen?.pointee = offered + match.lowerBound
                        unsafe length?.pointee = UInt8(clamping: match.count)
                        return SSL_TLSEXT_ERR_OK
                    },
                    owner
                )
            }
            if cache != nil {
                setTicketKeys()
                // OpenSSL passes a client's session after the handshake. The connection's `TLSSession` knows the host.
                unsafe SSL_CTX_sess_set_new_cb(pointer) { native, session in
                    guard let session = unsafe session else { return 0 }
                    return unsafe TLSSession.owner(of: native)?.keep(session) == true ? 1 : 0
                }
            }
            // Always, because OpenSSL calls that of the chosen context for a second hello, whose name must be the same.
            unsafe SSL_CTX_set_client_hello_cb(
                pointer,
                { native, alert, _ in
                    guard let native = unsafe native, let session = unsafe TLSSession.owner(of: native) else {
                        return SSL_CLIENT_HELLO_SUCCESS
                    }
                    let (result, number) = unsafe session.readHello(native)
                    if result == SSL_CLIENT_HELLO_ERROR { unsafe alert?.pointee = number }
                    return result
                },
                nil
            )
            unsafe reactive_tls_keep_names(pointer)
            if configuration.keyLog != nil {
                unsafe SSL_CTX_set_ex_data(pointer, 0, owner)
                unsafe SSL_CTX_set_keylog_callback(pointer) { session, line in
                    guard let line = unsafe line, let context = unsafe SSL_get_SSL_CTX(session),
                        let owner = unsafe SSL_CTX_get_ex_data(context, 0)
                    else { return }
                    let native = unsafe Unmanaged<NativeContext>.fromOpaque(owner).takeUnretainedValue()
                    unsafe native.configuration.keyLog?(String(cString: line))
                }
            }
        }

        private func setTicketKeys() {
            unsafe SSL_CTX_set_timeout(pointer, Int(clamping: ticketKeys.lifetime.components.seconds))
            unsafe SSL_CTX_set_tlsext_ticket_key_evp_cb(pointer) { native, name, vector, cipher, mac, encrypts in
                guard let name = unsafe name, let keys = unsafe TLSSession.owner(of: native)?.native.ticketKeys
                else { return 0 }
                let buffer = unsafe UnsafeMutableRawBufferPointer(start: name, count: TicketKey.nameLength)
                if encrypts == 1 {
                    guard let key = keys.currentKey() else { return 0 }
                    unsafe key.copyName(to: buffer)
                    return unsafe key.prepare(vector, cipher, mac, encrypts: true) ? 1 : -1
                }
                // Without a key, the handshake is a full one.
                guard let (key, isCurrent) = unsafe keys.key(named: UnsafeRawBufferPointer(buffer)) else { return 0 }
                guard unsafe key.prepare(vector, cipher, mac, encrypts: false) else { return -1 }
                // 2 requests a new ticket. In TLS 1.3 each ticket is used once (RFC 8446 appendix C.4).
                return unsafe isCurrent && SSL_version(native) < TLS1_3_VERSION ? 1 : 2
            }
        }

        // MARK: Application protocols

        /// Chooses the first of the server's protocols that the client offers. Returns its range in the client's
        /// list, or nil.
        ///
        /// - Parameters:
        ///   - offered: The client's list.
        ///   - spoken: The only protocols to choose from. If the server's list contains no other one that the client
        ///     offers, the first of them may be chosen although it is not in the server's list. Empty means all.
        func choose(from offered: UnsafeBufferPointer<UInt8>, among spoken: [String]) -> Range<Int>? {
            var name = 0..<0
            while let next = unsafe protocols.withUnsafeBufferPointer({ unsafe Self.name(after: name, in: $0) }) {
                name = next
                let candidate = protocols[name]
                let isSpoken = spoken.isEmpty || spoken.contains { $0.utf8.elementsEqual(candidate) }
                if isSpoken, let range = unsafe Self.range(of: candidate, in: offered) { return range }
            }
            return spoken.first.flatMap { unsafe Self.range(of: $0.utf8, in: offered) }
        }

        private static func range(
            of name: some Collection<UInt8>,
            in offered: UnsafeBufferPointer<UInt8>
        ) -> Range<Int>? {
            var range = 0..<0
            while let next = unsafe Self.name(after: range, in: offered) {
                range = next
                if unsafe name.elementsEqual(offered[range]) { return range }
            }
            return nil
        }

        /// The next name of a list, whose beginning precedes it. A client may offer 30,000 names, so this copies none.
        private static func name(after last: Range<Int>, in list: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
            let start = last.upperBound + 1
            guard start <= list.count else { return nil }
            let end = unsafe start + Int(list[start - 1])
            return end <= list.count ? start..<end : nil
        }

        private static func checked(_ protocols: [String]) throws(TLSError) -> [String] {
            guard let wrong = protocols.first(where: { !(1...255).contains($0.utf8.count) }) else { return protocols }
            throw TLSError(.invalidConfiguration, "the application protocol \"\(wrong)\" must have 1 to 255 bytes")
        }

        /// Encodes protocols of 1 to 255 bytes in the format of ALPN.
        static func encoded(_ protocols: [String]) -> [UInt8] {
            protocols.flatMap { name in [UInt8(clamping: name.utf8.count)] + name.utf8 }
        }

        private static func failure(_ operation: String) -> TLSError {
            TLSError(taking: .library, "\(operation) failed")
        }
    }
#endif
