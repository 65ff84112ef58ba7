// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveHTTP
    import ReactiveSockets

    /// Decides whether a request may see the dashboard.
    ///
    /// A page of any origin can make a browser send requests to this machine. `Host` exposes a page whose name resolves to
    /// this machine (DNS rebinding). `Origin` and `Sec-Fetch-Site` expose requests of other pages.
    struct RequestGuard: Sendable {
        /// The names besides those of the loopback interface, in lower case.
        private let names: Set<String>

        init(_ names: [String]) { self.names = Set(names.map { $0.lowercased() }) }

        /// Returns the response that refuses a request. `nil` means that the request is allowed.
        func refusal(of request: HTTPRequestMessage) -> HTTPResponseMessage? {
            let head = request.head
            guard let host = head.authority, isAllowed(host, request.peer?.localAddress) else {
                return .plain(.misdirectedRequest, "the host of the request is not allowed")
            }
            if let site = head.headerFields[.secFetchSite], site != "same-origin", site != "none" {
                return .plain(.forbidden, "requests of other pages are not allowed")
            }
            if let origin = head.headerFields[.origin], !isSame(origin, host) {
                return .plain(.forbidden, "requests of other origins are not allowed")
            }
            guard head.method == .get || head.method == .head else {
                var response = HTTPResponseMessage.plain(.methodNotAllowed, "use GET or HEAD")
                response.head.headerFields[.allow] = "GET, HEAD"
                return response
            }
            return nil
        }

        private func isAllowed(_ authority: String, _ local: SocketAddress?) -> Bool {
            guard let (host, port) = Self.split(authority.lowercased()), let local else { return false }
            // A request on a Unix socket comes from this machine, and has no port.
            if local.family == .unix { return true }
            guard port == local.port else { return false }
            // An address is no name that an attacker could point to this machine.
            return ["localhost", "127.0.0.1", "[::1]", local.host, "[\(local.host)]"].contains(host)
                || names.contains(host)
        }

        /// Whether an origin is that of the host.
        private func isSame(_ origin: String, _ host: String) -> Bool {
            let origin = origin.lowercased()
            return ["http://", "https://"].contains { origin == $0 + host.lowercased() }
        }

        /// The host and the port of an authority. The default port is 80.
        static func split(_ authority: String) -> (host: String, port: UInt16)? {
            let end = authority.last == "]" ? nil : authority.lastIndex(of: ":")
            guard let end else { return authority.isEmpty ? nil : (authority, 80) }
            let digits = authority[authority.index(after: end)...]
            guard digits.allSatisfy(\.isASCII), digits.allSatisfy(\.isNumber), let port = UInt16(digits) else {
                return nil
            }
            return (String(authority[..<end]), port)
        }
    }

    extension HTTPField.Name {
        fileprivate static var secFetchSite: Self { HTTPField.Name("Sec-Fetch-Site")! }
    }
#endif
