// SPDX-License-Identifier: MIT
#if HTTP
    public import ReactiveCore
    import ReactiveSockets
    import ReactiveSupport

    /// An error of a WebSocket: a code, and a message that states what was wrong and what is allowed.
    ///
    /// Two errors are equal if their codes are equal, whatever their messages.
    public struct WebSocketError: CodedError, Sendable {
        /// The kind of a ``WebSocketError``. Later versions may add codes, so a `switch` needs a `default`.
        public struct Code: Sendable, Hashable, CustomStringConvertible {
            /// The code's name, as printed.
            public let description: String
            /// The code of the Close frame that reports the error to the peer. `nil` means that none is sent.
            let closeCode: WebSocketCloseCode?

            private init(_ name: String, _ closeCode: WebSocketCloseCode? = nil) {
                description = name
                self.closeCode = closeCode
            }

            /// The peer violates RFC 6455 or RFC 7692. It receives the close code 1002.
            public static let protocolViolation = Code("protocol violation", .protocolError)
            /// A text message or a close reason is not UTF-8. The peer receives the close code 1007.
            public static let invalidText = Code("invalid text", .invalidData)
            /// A frame or a message exceeds a limit. The peer receives the close code 1009.
            public static let messageTooLarge = Code("message too large", .messageTooLarge)
            /// The peer has not answered a ping or a Close frame in time.
            public static let timedOut = Code("timed out")
            /// The peer ended its stream without a Close frame. Applications know this as the close code 1006.
            public static let incomplete = Code("incomplete")
            /// The server has not accepted the handshake, or its answer violates RFC 6455.
            public static let handshakeFailed = Code("handshake failed")
            /// The connection failed. ``WebSocketError/cause`` is the `SocketError`.
            public static let connection = Code("connection")
            /// The WebSocket is closed or closing, so it sends no more messages.
            public static let closed = Code("closed")
            /// A source of messages failed. The peer receives the close code 1011.
            public static let sourceFailed = Code("source failed", .internalError)
            /// The messages already have a subscriber. They allow one.
            public static let alreadyReceiving = Code("already receiving")
        }

        /// The kind of failure.
        public var code: Code
        /// One sentence: what failed, why, and what is allowed.
        public var message: String
        /// The error that caused this one, or `nil`.
        public var cause: (any Error)?

        /// Creates an error.
        ///
        /// - Parameters:
        ///   - code: The kind of failure.
        ///   - message: One sentence: what failed, why, and what is allowed.
        ///   - cause: The error that caused this one, or `nil`.
        public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
            self.code = code
            self.message = message
            self.cause = cause
        }
    }

    extension WebSocketError {
        /// The error of a WebSocket whose connection has failed.
        static func connection(_ error: SocketError) -> WebSocketError {
            WebSocketError(.connection, error.message, cause: error)
        }
    }

    extension WebSocketError: LoopRefusal {
        package init(refusal: LoopError) { self.init(.closed, refusal.message, cause: refusal) }
    }
#endif
