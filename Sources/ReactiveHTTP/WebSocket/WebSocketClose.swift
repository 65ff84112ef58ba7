// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSupport

    /// The content of a Close frame: a code and a reason.
    public struct WebSocketClose: Sendable, Hashable, CustomStringConvertible {
        /// The code. ``WebSocketCloseCode/noStatus`` means that the frame was empty.
        public let code: WebSocketCloseCode
        /// A text for developers. It may be empty.
        public let reason: String

        /// Creates the content of a Close frame.
        ///
        /// - Parameters:
        ///   - code: A code that is allowed in a frame, or ``WebSocketCloseCode/noStatus`` for an empty frame. Any other
        ///     code traps.
        ///   - reason: A text of at most 123 bytes. A longer one is cut at the end of a character.
        public init(_ code: WebSocketCloseCode, reason: String = "") {
            require(
                code == .noStatus || code.isAllowedInFrame,
                "cannot close with the code \(code): use 1000 to 1003, 1007 to 1014, or 3000 to 4999"
            )
            self.code = code
            self.reason = code == .noStatus ? "" : Self.shortened(reason)
        }

        /// The code and the reason: `1001 the server shuts down`.
        public var description: String { reason.isEmpty ? code.description : "\(code) \(reason)" }

        /// The maximum number of bytes of a reason: a control frame has 125 bytes, and the code two.
        private static let reasonLimit = 123

        private static func shortened(_ reason: String) -> String {
            if reason.utf8.count <= reasonLimit { return reason }
            var (text, count) = ("", 0)
            for character in reason {
                count += character.utf8.count
                if count > reasonLimit { break }
                text.append(character)
            }
            return text
        }
    }
#endif
