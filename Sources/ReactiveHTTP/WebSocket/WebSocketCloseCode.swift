// SPDX-License-Identifier: MIT
#if HTTP
    /// The number in a Close frame that says why a WebSocket is closed (RFC 6455 section 7.4).
    public struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The number.
        public let rawValue: UInt16

        /// Creates a code. Applications may use 4000 to 4999; libraries may register 3000 to 3999.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// 1000: the purpose of the connection has been fulfilled.
        public static let normal = WebSocketCloseCode(rawValue: 1000)
        /// 1001: the server shuts down, or the browser leaves the page.
        public static let goingAway = WebSocketCloseCode(rawValue: 1001)
        /// 1002: the peer has violated the protocol.
        public static let protocolError = WebSocketCloseCode(rawValue: 1002)
        /// 1003: the peer has sent a kind of message that this side does not accept.
        public static let unsupportedData = WebSocketCloseCode(rawValue: 1003)
        /// 1005: the Close frame contained no code. It is never sent.
        public static let noStatus = WebSocketCloseCode(rawValue: 1005)
        /// 1007: a message contained invalid data, such as text that is not UTF-8.
        public static let invalidData = WebSocketCloseCode(rawValue: 1007)
        /// 1008: a message violates a rule of the application.
        public static let policyViolation = WebSocketCloseCode(rawValue: 1008)
        /// 1009: a message is too large.
        public static let messageTooLarge = WebSocketCloseCode(rawValue: 1009)
        /// 1011: this side has failed.
        public static let internalError = WebSocketCloseCode(rawValue: 1011)
        /// 1012: the server restarts.
        public static let serviceRestart = WebSocketCloseCode(rawValue: 1012)
        /// 1013: the server is overloaded.
        public static let tryAgainLater = WebSocketCloseCode(rawValue: 1013)

        /// Whether a Close frame may contain the code: 1000 to 1003, 1007 to 1014, and 3000 to 4999.
        public var isAllowedInFrame: Bool {
            switch rawValue {
            case 1000...1003, 1007...1014, 3000...4999: true
            default: false
            }
        }

        /// The number in decimal.
        public var description: String { String(rawValue) }
    }
#endif
