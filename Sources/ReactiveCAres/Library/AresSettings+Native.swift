// SPDX-License-Identifier: MIT
#if CAres
    import CCares
    import Glibc
    import ReactiveCore
    import ReactiveSockets

    // Safe: c-ares copies the strings that it receives, and the lists that it returns are read before they are freed.
    extension AresSettings {
        /// Creates a channel with these settings. `watch` receives `reference`. The caller must destroy the channel.
        func makeChannel(
            _ watch: @escaping ares_sock_state_cb,
            _ reference: UnsafeMutableRawPointer
        ) throws(AresStatus) -> OpaquePointer {
            if AresLibrary.status != ARES_SUCCESS { throw AresStatus(AresLibrary.status) }
            var options = unsafe ares_options()
            var mask = ARES_OPT_SOCK_STATE_CB | ARES_OPT_LOOKUPS | ARES_OPT_RESOLVCONF
            unsafe options.sock_state_cb = watch
            unsafe options.sock_state_cb_data = reference
            let file = ConfigurationOptions(file: configurationFile)
            if let timeout = timeout ?? file.timeout {
                mask |= ARES_OPT_TIMEOUTMS
                let (whole, rest) = timeout.saturatedNanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
                unsafe options.timeout = max(1, Int32(clamping: whole + (rest > 0 ? 1 : 0)))
            }
            // Two is the default of resolv.conf(5). With c-ares's own default, four, a look-up takes up to 75 seconds,
            // because the time doubles with each try. The limit of 1,000 prevents an overflow: c-ares multiplies the
            // tries by the number of servers, in 32 bits.
            mask |= ARES_OPT_TRIES
            unsafe options.tries = min(1_000, max(1, Int32(clamping: tries ?? file.attempts ?? 2)))
            if let rotatesServers { mask |= rotatesServers ? ARES_OPT_ROTATE : ARES_OPT_NOROTATE }
            var channel: OpaquePointer?
            // The hosts file, then DNS.
            var status = unsafe Self.withMutableCString("fb") { lookUps in
                unsafe Self.withMutableCString(configurationFile) { path in
                    unsafe options.lookups = lookUps
                    unsafe options.resolvconf_path = path
                    return unsafe ares_init_options(&channel, &options, mask)
                }
            }
            guard status == ARES_SUCCESS, let channel = unsafe channel else { throw AresStatus(status) }
            if servers.isEmpty { return unsafe channel }
            status = unsafe Self.setServers(servers, channel)
            if status == ARES_SUCCESS { return unsafe channel }
            unsafe ares_destroy(channel)
            throw AresStatus(status)
        }

        private static func withMutableCString(
            _ text: String,
            _ body: (UnsafeMutablePointer<CChar>) -> Int32
        ) -> Int32 {
            guard let copy = unsafe strdup(text) else { return ARES_ENOMEM }
            defer { unsafe free(copy) }
            return unsafe body(copy)
        }

        /// Replaces the servers of a channel without open questions. Returns the status.
        static func setServers(_ servers: [SocketAddress], _ channel: OpaquePointer) -> Int32 {
            let list = servers.map(\.description).joined(separator: ",")
            return unsafe ares_set_servers_ports_csv(channel, list)
        }

        /// The servers of a channel, in the order of use.
        static func servers(_ channel: OpaquePointer) -> [SocketAddress] {
            var list: UnsafeMutablePointer<ares_addr_port_node>?
            guard unsafe ares_get_servers_ports(channel, &list) == ARES_SUCCESS else { return [] }
            defer { unsafe ares_free_data(list) }
            var servers: [SocketAddress] = []
            var next = unsafe list
            while let node = unsafe next?.pointee {
                let port = unsafe node.udp_port == 0 ? 53 : UInt16(clamping: node.udp_port)
                let bytes = unsafe withUnsafeBytes(of: node.addr) { unsafe Array($0) }
                let isFour = unsafe node.family == AF_INET
                let number = Array(bytes.prefix(isFour ? 4 : 16))
                servers.append(SocketAddress(family: isFour ? .ipv4 : .ipv6, bytes: number, port: port))
                unsafe next = node.next
            }
            return servers
        }

        /// Whether a channel asks its servers in their order, and the time limit of the first attempt.
        static func effective(_ channel: OpaquePointer) -> (asksInOrder: Bool, timeout: Duration) {
            var options = unsafe ares_options()
            var mask: Int32 = 0
            guard unsafe ares_save_options(channel, &options, &mask) == ARES_SUCCESS else { return (true, .seconds(1)) }
            defer { unsafe ares_destroy_options(&options) }
            return unsafe (mask & ARES_OPT_ROTATE == 0, .milliseconds(max(1, options.timeout)))
        }
    }
#endif
