// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSockets

    /// Parses HTTP/1.1 messages, strictly by RFC 9112.
    ///
    /// Feed it with chunks of any size, and take events until there is none. The events depend only on the bytes, and not
    /// on the chunks. It reads no further than the last event that it has returned, so a server can finish a response
    /// before it takes the next request.
    struct MessageParser {
        /// The kind of message that the parser expects.
        enum Role: Sendable, Hashable {
            /// Requests to a server. `scheme` becomes that of requests in origin form.
            case requests(scheme: String)
            /// Responses to a client. ``MessageParser/requestMethod`` is the method of the request.
            case responses
        }

        let role: Role
        let limits: HTTPLimits
        /// The method of the request whose response comes next. A client sets it before each response.
        var requestMethod = HTTPRequest.Method.get
        private var input = Bytes()

        init(_ role: Role, limits: HTTPLimits = HTTPLimits()) {
            self.role = role
            self.limits = limits
        }

        /// Appends received bytes. The parser shares their memory until it has read them.
        mutating func feed(_ bytes: Bytes) {
            input = input.isEmpty ? bytes : Bytes(joining: [input, bytes])
        }

        /// Returns the next event, or `nil` if more bytes are needed.
        ///
        /// - Throws: `malformed`, `targetTooLong`, `fieldsTooLarge`, `contentTooLarge`, `notImplemented` or
        ///   `versionNotSupported`. The connection cannot continue after an error: each later call throws it again.
        mutating func next() throws(HTTPError) -> ParserEvent? { nil }

        /// Whether a message has begun and its end has not been returned. An empty line before a request does not count.
        var isInsideMessage: Bool { false }

        /// Whether some bytes of a head have arrived, and not all. The time limit of the head then runs.
        var isInsideHead: Bool { false }

        /// The number of bytes that have been fed and not read.
        var unreadCount: Int { input.count }

        /// Notifies the parser of the end of the stream, after all events have been taken.
        ///
        /// - Returns: The end of a body that lasts until the end of the stream. `nil` between messages.
        /// - Throws: `incomplete` inside a message.
        mutating func finish() throws(HTTPError) -> ParserEvent? { nil }

        /// Removes and returns the bytes after the last event, for the protocol of an upgraded connection.
        mutating func takeRest() -> Bytes {
            defer { input = Bytes() }
            return input
        }
    }
#endif
