// SPDX-License-Identifier: MIT
#if HTTP
    public import ReactiveSockets

    /// A message of a WebSocket: text or bytes.
    public enum WebSocketMessage: Sendable, Hashable {
        /// Text, sent as UTF-8.
        case text(String)
        /// Bytes without further meaning to the protocol.
        case binary(Bytes)
    }

    extension WebSocketMessage: ExpressibleByStringLiteral {
        /// Creates a text message.
        public init(stringLiteral value: String) { self = .text(value) }
    }
#endif
