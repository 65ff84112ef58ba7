#if NATS
    import CNats

    extension NATSOptions {
        /// The same as nats.c's options, which the caller has to destroy.
        func makeNative(_ servers: [String]) throws(NATSError) -> OpaquePointer {
            var options: OpaquePointer?
            let status = natsOptions_Create(&options)
            guard status == NATS_OK, let options else { throw .library("making options", status) }
            for (what, set) in settings(servers) {
                let status = set(options)
                if status != NATS_OK {
                    let error = NATSError.library("the option \(what)", status)
                    natsOptions_Destroy(options)
                    throw error
                }
            }
            return options
        }

        private typealias Setting = (what: String, set: (OpaquePointer) -> natsStatus)

        private func settings(_ servers: [String]) -> [Setting] {
            var all: [Setting] = [
                ("servers", { Self.setServers($0, servers) }),
                ("connectTimeout", { natsOptions_SetTimeout($0, connectTimeout.wholeMilliseconds) }),
                // Connecting again is the client's: nats.c on a loop goes on reading where the old connection broke off.
                ("reconnecting", { natsOptions_SetAllowReconnect($0, false) }),
                ("pingInterval", { natsOptions_SetPingInterval($0, pingInterval.wholeMilliseconds) }),
                ("hearsItself", { natsOptions_SetNoEcho($0, !hearsItself) }),
                // No thread of nats.c's between a message and the loop's write.
                ("sendAsap", { natsOptions_SetSendAsap($0, true) }),
            ]
            if let name { all.append(("name", { natsOptions_SetName($0, name) })) }
            if let setting = credentials.setting { all.append(("credentials", setting)) }
            if let security { all += security.settings.map { ("security", $0) } }
            return all
        }

        private static func setServers(_ options: OpaquePointer, _ servers: [String]) -> natsStatus {
            if servers.count == 1 { return natsOptions_SetURL(options, servers[0]) }
            return withCStrings(servers) { natsOptions_SetServers(options, $0, Int32(clamping: servers.count)) }
        }

        private static func withCStrings(
            _ strings: [String],
            _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>) -> natsStatus
        ) -> natsStatus {
            var pointers: [UnsafePointer<CChar>?] = []
            func next(_ rest: ArraySlice<String>) -> natsStatus {
                guard let first = rest.first else {
                    return pointers.withUnsafeMutableBufferPointer { buffer in
                        buffer.baseAddress.map(body) ?? NATS_INVALID_ARG
                    }
                }
                return first.withCString { pointer in
                    pointers.append(pointer)
                    return next(rest.dropFirst())
                }
            }
            return next(strings[...])
        }
    }

    extension NATSCredentials {
        fileprivate var setting: ((OpaquePointer) -> natsStatus)? {
            switch kind {
            case .none: nil
            case .user(let name, let password): { natsOptions_SetUserInfo($0, name, password) }
            case .token(let token): { natsOptions_SetToken($0, token) }
            case .files(let path, let seed): { natsOptions_SetUserCredentialsFromFiles($0, path, seed) }
            case .nkey(let publicKey, let seedFile): { natsOptions_SetNKeyFromSeed($0, publicKey, seedFile) }
            }
        }
    }

    extension NATSSecurity {
        fileprivate var settings: [(OpaquePointer) -> natsStatus] {
            var all: [(OpaquePointer) -> natsStatus] = [{ natsOptions_SetSecure($0, true) }]
            if let trustedCertificates {
                all.append { natsOptions_LoadCATrustedCertificates($0, trustedCertificates) }
            }
            if let certificates, let privateKey {
                all.append { natsOptions_LoadCertificatesChain($0, certificates, privateKey) }
            }
            if let expectedHostname { all.append { natsOptions_SetExpectedHostname($0, expectedHostname) } }
            if !verifiesServer { all.append { natsOptions_SkipServerVerification($0, true) } }
            return all
        }
    }
#endif
