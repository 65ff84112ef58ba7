// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import ReactiveSockets

    /// The choice of a context by the host name that the client has sent (SNI, RFC 6066 section 3).
    ///
    /// OpenSSL calls back when it has read the hello. The first call only stores the name, and suspends the handshake.
    /// OpenSSL calls again after the closure has answered. That call uses the answer.
    extension TLSSession {
        enum ServerNameStage {
            /// The hello has not been read.
            case unread
            case asked(ServerNameRequest)
            /// The answer is used. A second hello must contain the same name.
            case used(String?)
        }

        /// Handles the hello. Returns the result of a callback of OpenSSL, and the alert of a failure.
        func readHello(_ hello: OpaquePointer) -> (result: Int32, alert: Int32) {
            guard native.configuration.contextForServerName != nil, let handshake else {
                return (SSL_CLIENT_HELLO_SUCCESS, 0)
            }
            guard let name = unsafe Self.serverName(hello) else { return (SSL_CLIENT_HELLO_ERROR, SSL_AD_DECODE_ERROR) }
            switch handshake.serverName {
            case .unread:
                handshake.serverName = .asked(ServerNameRequest(name))
                return (SSL_CLIENT_HELLO_RETRY, 0)
            case .asked(let request): return use(request, handshake)
            case .used(let first):
                return first == name
                    ? (SSL_CLIENT_HELLO_SUCCESS, 0) : (SSL_CLIENT_HELLO_ERROR, SSL_AD_ILLEGAL_PARAMETER)
            }
        }

        private func use(_ request: ServerNameRequest, _ handshake: Handshake) -> (result: Int32, alert: Int32) {
            switch request.answer {
            case nil: return (SSL_CLIENT_HELLO_RETRY, 0)
            case .own: break
            case .context(let context):
                let native = context.current
                guard native.configuration.certificateChain != nil else {
                    let what = "the context for the host name \(request.quotedName) has no certificate"
                    handshake.refusal = TLSError(.invalidConfiguration, what)
                    return (SSL_CLIENT_HELLO_ERROR, SSL_AD_INTERNAL_ERROR)
                }
                adopt(native)
            case .refusal(let error):
                let what = "the server refuses the host name \(request.quotedName): \(error)"
                handshake.refusal = TLSError(.unknownServerName, what)
                return (SSL_CLIENT_HELLO_ERROR, SSL_AD_UNRECOGNIZED_NAME)
            }
            handshake.serverName = .used(request.name)
            return (SSL_CLIENT_HELLO_SUCCESS, 0)
        }

        /// Uses the certificates and settings of another context. The keys of the tickets remain those of the listener,
        /// but OpenSSL resumes a session only in the context in which it began, because contexts differ in their
        /// session ID context.
        private func adopt(_ native: NativeContext) {
            let configuration = native.configuration
            chosen = native
            let isAdopted = unsafe reactive_tls_adopt(
                session,
                native.pointer,
                configuration.minimumVersion.number,
                configuration.maximumVersion.number,
                configuration.resumesSessions ? 1 : 0
            )
            if isAdopted != 1 { fatalError("out of memory for a TLS session") }
            setVerification(of: native)
        }

        /// Asks the closure of the configuration, which may answer later.
        func askForContext(_ out: TransformedBytes) {
            guard case .asked(let request) = handshake?.serverName,
                let choose = native.configuration.contextForServerName
            else { return }
            if request.answer == nil { request.ask(choose, out.resumption) }
        }

        /// The name in the hello: `.some(nil)` if there is none, nil if the extension is malformed.
        private static func serverName(_ hello: OpaquePointer) -> String?? {
            var start: UnsafePointer<UInt8>?
            var count = 0
            guard unsafe SSL_client_hello_get0_ext(hello, UInt32(TLSEXT_TYPE_server_name), &start, &count) == 1 else {
                return .some(nil)
            }
            return serverName(in: unsafe Array(UnsafeBufferPointer(start: start, count: count)))
        }

        /// Reads the extension: the length of the list, then of each name its kind, which must be 0, its length and its
        /// bytes. More than one name of a kind is not allowed (RFC 6066 section 3).
        static func serverName(in bytes: [UInt8]) -> String?? {
            guard bytes.count > 5, Int(bytes[0]) << 8 | Int(bytes[1]) == bytes.count - 2, bytes[2] == 0,
                Int(bytes[3]) << 8 | Int(bytes[4]) == bytes.count - 5
            else { return nil }
            let name = bytes[5...]
            // Names are ASCII. The limit is that of OpenSSL and of the DNS.
            guard name.count <= 255, name.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
            return .some(String(decoding: name, as: UTF8.self))
        }
    }

    extension ServerNameRequest {
        fileprivate var quotedName: String { name.map { "\"\($0)\"" } ?? "(none)" }
    }
#endif
