// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSockets
    import ReactiveSupport

    /// The address of a server, such as `nats://user:password@host:4222`, `tls://host` or `host:4222`.
    struct ServerAddress {
        /// The credentials of an address: a user with a password, or a token.
        enum Credentials: Equatable {
            case user(String, password: String)
            case token(String)
        }

        static let defaultPort = 4222

        let host: String
        let port: Int
        let isSecure: Bool
        let credentials: Credentials?

        /// - Throws: `invalidAddress`.
        init(_ text: String) throws(NATSError) {
            let parts = text.firstRange(of: "://")
            let scheme = parts.map { text[..<$0.lowerBound].lowercased() } ?? "nats"
            guard scheme == "nats" || scheme == "tls" else {
                throw Self.invalid(text, "its scheme must be nats or tls")
            }
            isSecure = scheme == "tls"
            let rest = text[(parts?.upperBound ?? text.startIndex)...]
            let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            let at = authority.lastIndex(of: "@")
            if rest.dropFirst(authority.count).contains("@") {
                throw Self.invalid(text, "its credentials need percent-encoding")
            }
            credentials = try at.flatMap { (at) throws(NATSError) in try Self.credentials(authority[..<at], text) }
            let place = at.map { authority[authority.index(after: $0)...] } ?? authority
            let (name, number) = Self.split(place)
            let isNumeric = (try? SocketAddress(host: "[\(name)]", port: 0)) != nil
            guard place.hasPrefix("[") ? isNumeric : !name.contains(":") else {
                throw Self.invalid(text, "write an IPv6 address as [::1]")
            }
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
                throw Self.invalid(text, "it has no valid host")
            }
            guard let port = number.map({ WireInteger(decimal: $0)?.value(in: 1...65535) }) ?? Self.defaultPort else {
                throw Self.invalid(text, "its port is not a number from 1 to 65535")
            }
            (host, self.port) = (String(name), port)
        }

        /// The address without its credentials.
        var shown: String {
            "\(isSecure ? "tls" : "nats")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        }

        /// Splits `host:port`, `[::1]:port`, or a host alone.
        private static func split(_ place: Substring) -> (host: Substring, port: Substring?) {
            if place.hasPrefix("["), let end = place.firstIndex(of: "]") {
                let host = place[place.index(after: place.startIndex)..<end]
                let rest = place[place.index(after: end)...]
                if rest.isEmpty { return (host, nil) }
                // Text without a colon is no port, and an empty port is invalid.
                return (host, rest.first == ":" ? rest.dropFirst() : "")
            }
            guard let colon = place.lastIndex(of: ":") else { return (place, nil) }
            return (place[..<colon], place[place.index(after: colon)...])
        }

        private static func credentials(_ text: Substring, _ address: String) throws(NATSError) -> Credentials? {
            if text.isEmpty { return nil }
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            var decoded: [String] = []
            for part in parts {
                guard let text = percentDecoded(part) else {
                    throw invalid(address, "its credentials have an invalid percent-encoding")
                }
                decoded.append(text)
            }
            return decoded.count == 2 ? .user(decoded[0], password: decoded[1]) : .token(decoded[0])
        }

        private static func percentDecoded(_ text: Substring) -> String? {
            var (bytes, rest): ([UInt8], Substring.UTF8View) = ([], text.utf8)
            while var byte = rest.popFirst() {
                if byte == UInt8(ascii: "%") {
                    guard let decoded = PercentCoding.popByte(&rest) else { return nil }
                    byte = decoded
                }
                bytes.append(byte)
            }
            return String(validating: bytes, as: UTF8.self)
        }

        /// The password of an address does not belong in a message.
        private static func invalid(_ text: String, _ why: String) -> NATSError {
            let shown = text.lastIndex(of: "@").map { "…\(text[$0...])" } ?? text
            return NATSError(.invalidAddress, "the address \(shown) of a server is invalid: \(why)")
        }
    }
#endif
