// SPDX-License-Identifier: MIT
#if HTTP
    public import HTTPTypes

    /// The resource that a client's handshake asks for.
    public struct WebSocketTarget: Sendable, Hashable, ExpressibleByStringLiteral {
        /// The path, with the query.
        public var path: String
        /// The value of `Host`. `nil` means the address, or the host name and port, that the client connects to.
        public var host: String?
        /// Further header fields of the request, such as cookies.
        public var fields: HTTPFields

        /// Creates a target.
        ///
        /// - Parameters:
        ///   - path: The path, with the query. It begins with `/`.
        ///   - host: The value of `Host`, or `nil`.
        ///   - fields: Further header fields.
        public init(_ path: String = "/", host: String? = nil, fields: HTTPFields = HTTPFields()) {
            self.path = path
            self.host = host
            self.fields = fields
        }

        /// Creates a target from its path.
        public init(stringLiteral value: String) { self.init(value) }

        /// Whether the path and the host can stand in a request: visible ASCII, and a path that begins with `/`.
        var isValid: Bool {
            let all = Array(path.utf8) + Array((host ?? "").utf8)
            return path.hasPrefix("/") && all.allSatisfy { (0x21...0x7E).contains($0) }
        }
    }
#endif
