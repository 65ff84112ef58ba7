// SPDX-License-Identifier: MIT
#if NATS
    import CNats
    import Glibc

    /// The options object of nats.c.
    ///
    /// Safe: the caller that creates it destroys it once, and uses it only before that. nats.c copies each string that
    /// it receives.
    @safe
    struct NATSNativeOptions {
        let pointer: OpaquePointer

        init() throws(NATSError) {
            var made: OpaquePointer?
            let status = unsafe natsOptions_Create(&made)
            guard status == NATS_OK, let made = unsafe made else { throw .library("creating nats.c options", status) }
            unsafe pointer = made
        }

        func destroy() { unsafe natsOptions_Destroy(pointer) }
    }

    // Safe: each setting calls nats.c with valid options, and with strings that are valid during the call.
    extension NATSOptions {
        /// Converts to options of nats.c, which the caller must destroy.
        func makeNative(_ servers: [String], as host: String?) throws(NATSError) -> NATSNativeOptions {
            let options = try NATSNativeOptions()
            for (what, set) in settings(servers, host) {
                let status = set(options)
                if status != NATS_OK {
                    let error = NATSError.library("the option \(what)", status)
                    options.destroy()
                    throw error
                }
            }
            return options
        }

        private typealias Setting = (what: String, set: (NATSNativeOptions) -> natsStatus)

        private func settings(_ servers: [String], _ host: String?) -> [Setting] {
            var all: [Setting] = [
                ("servers", { Self.setServers($0, servers) }),
                ("connectTimeout", { unsafe natsOptions_SetTimeout($0.pointer, connectTimeout.wholeMilliseconds) }),
                // The client reconnects by itself, because nats.c on an event loop would continue to read where the old
                // connection broke.
                ("reconnecting", { unsafe natsOptions_SetAllowReconnect($0.pointer, false) }),
                ("pingInterval", { unsafe natsOptions_SetPingInterval($0.pointer, pingInterval.wholeMilliseconds) }),
                // The client drops a silent connection itself: a thread of nats.c would close it while the loop reads it.
                ("pings", { unsafe natsOptions_SetMaxPingsOut($0.pointer, Int32.max) }),
                ("receivesOwnMessages", { unsafe natsOptions_SetNoEcho($0.pointer, !receivesOwnMessages) }),
                // An environment variable could let subscriptions share a thread that is unsafe (Decision 0021).
                ("callbacks", { unsafe natsOptions_UseGlobalMessageDelivery($0.pointer, false) }),
                // Avoids a thread of nats.c between a message and the loop's write.
                ("sendAsap", { unsafe natsOptions_SetSendAsap($0.pointer, true) }),
            ]
            if let name { all.append(("name", { unsafe natsOptions_SetName($0.pointer, name) })) }
            if let setting = credentials.setting { all.append(("credentials", setting)) }
            // The servers are numeric addresses of this host. It matters only if the server requires TLS.
            if let host { all.append(("host", { unsafe natsOptions_SetExpectedHostname($0.pointer, host) })) }
            if let security { all += security.settings.map { ("security", $0) } }
            return all
        }

        private static func setServers(_ options: NATSNativeOptions, _ servers: [String]) -> natsStatus {
            if servers.count == 1 { return unsafe natsOptions_SetURL(options.pointer, servers[0]) }
            let copies = unsafe servers.map { unsafe strdup($0) }
            defer { unsafe copies.forEach { unsafe free($0) } }
            var texts = unsafe copies.map { unsafe UnsafePointer($0) }
            return unsafe natsOptions_SetServers(options.pointer, &texts, Int32(clamping: servers.count))
        }
    }

    extension NATSCredentials {
        fileprivate var setting: ((NATSNativeOptions) -> natsStatus)? {
            switch kind {
            case .none: nil
            case .user(let name, let password): { unsafe natsOptions_SetUserInfo($0.pointer, name, password) }
            case .token(let token): { unsafe natsOptions_SetToken($0.pointer, token) }
            case .files(let path, let seed): { unsafe natsOptions_SetUserCredentialsFromFiles($0.pointer, path, seed) }
            case .nkey(let publicKey, let seedFile):
                { unsafe natsOptions_SetNKeyFromSeed($0.pointer, publicKey, seedFile) }
            }
        }
    }

    extension NATSSecurity {
        fileprivate var settings: [(NATSNativeOptions) -> natsStatus] {
            var all: [(NATSNativeOptions) -> natsStatus] = [{ unsafe natsOptions_SetSecure($0.pointer, true) }]
            if let trustedCertificates {
                all.append { unsafe natsOptions_LoadCATrustedCertificates($0.pointer, trustedCertificates) }
            }
            if let certificates, let privateKey {
                all.append { unsafe natsOptions_LoadCertificatesChain($0.pointer, certificates, privateKey) }
            }
            if let expectedHostname {
                all.append { unsafe natsOptions_SetExpectedHostname($0.pointer, expectedHostname) }
            }
            if !verifiesServer { all.append { unsafe natsOptions_SkipServerVerification($0.pointer, true) } }
            return all
        }
    }
#endif
