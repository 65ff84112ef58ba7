// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSockets

    /// The scheme, host and port that a connection serves (RFC 9110 section 4.3.1).
    struct Origin: Sendable, Hashable, CustomStringConvertible {
        let isSecure: Bool
        /// In lowercase, and without the brackets of an IPv6 address.
        let host: String
        let port: Int

        init(scheme: String?, authority: String?) throws(HTTPError) {
            switch scheme?.lowercased() {
            case "http": isSecure = false
            case "https": isSecure = true
            case let other?:
                throw HTTPError(.invalidRequest, "the scheme \"\(other)\" is not supported: use http or https")
            case nil:
                throw HTTPError(.invalidRequest, "the request has no scheme: use a URL such as http://example.com/")
            }
            guard let authority, Authority.isValid(authority), !authority.contains("%") else {
                throw HTTPError(
                    .invalidRequest,
                    "\"\(authority ?? "")\" is not a host with an optional port, and without user information"
                )
            }
            var (name, number) = (authority[...], Substring())
            let isBracketed = authority.hasPrefix("[")
            let end = isBracketed ? authority.firstIndex(of: "]") : nil
            if let colon = authority[(end ?? authority.startIndex)...].firstIndex(of: ":") {
                (name, number) = (authority[..<colon], authority[authority.index(after: colon)...])
            }
            if isBracketed { name = name.dropFirst().dropLast() }
            let port = number.isEmpty ? (isSecure ? 443 : 80) : Int(number) ?? 0
            guard (1...65535).contains(port) else {
                throw HTTPError(.invalidRequest, "the port of \"\(authority)\" is not a number from 1 to 65535")
            }
            if isBracketed, (try? SocketAddress(host: String(name), port: port)) == nil {
                throw HTTPError(.invalidRequest, "\"\(authority)\" does not contain a valid IPv6 address")
            }
            host = name.lowercased()
            self.port = port
        }

        var description: String {
            "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        }
    }

    extension Authority {
        static func isValid(_ text: String) -> Bool {
            if text.isEmpty { return false }
            var text = text
            // Safe: the memory is used during the closure.
            return text.withUTF8 { memory in
                unsafe isValid(ByteText(UnsafeRawBufferPointer(memory)), 0..<memory.count, requiresPort: false)
            }
        }
    }
#endif
