// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSockets

    /// The host name in the address of a server, such as `nats://user:password@host:4222`.
    struct ServerName {
        let host: String
        let port: Int
        /// The scheme and the credentials.
        private let before: Substring
        private let after: Substring

        /// Returns `nil` if the host is a numeric address, and if nats.c will reject the address.
        init?(_ server: String) {
            let authority = server.firstRange(of: "://")?.upperBound ?? server.startIndex
            let end = server[authority...].firstIndex { $0 == "/" || $0 == "?" } ?? server.endIndex
            let begin = server[authority..<end].lastIndex(of: "@").map { server.index(after: $0) } ?? authority
            let colon = server[begin..<end].lastIndex(of: ":")
            let host = String(server[begin..<(colon ?? end)])
            let text = colon.map { server[server.index(after: $0)..<end] } ?? "4222"
            guard !host.isEmpty, !host.hasPrefix("["), let port = WireInteger(decimal: text)?.value(in: 1...65535),
                (try? SocketAddress(host: host, port: port)) == nil
            else { return nil }
            self.host = host
            self.port = port
            before = server[..<begin]
            after = server[end...]
        }

        /// The address of the server with a numeric address instead of the name.
        func replaced(by address: SocketAddress) -> String { "\(before)\(address)\(after)" }
    }
#endif
