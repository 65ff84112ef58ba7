// SPDX-License-Identifier: MIT
#if HTTP
    /// The settings of a WebSocket: who may connect, what may be received, and when the connection is given up.
    public struct WebSocketConfiguration: Sendable {
        /// The pages that may connect to a server.
        ///
        /// A browser connects to any server on behalf of any page, and sends the user's cookies. The `Origin` field tells
        /// the server which page that is (RFC 6455 section 10.2). Other clients may send any origin or none.
        public enum Origins: Sendable {
            /// Requests without an origin, and pages whose host and port are those of the request's `Host`.
            case same
            /// Every request.
            case any
            /// Requests without an origin, and pages of these origins: `https://example.org`, with the port if it is not
            /// the scheme's.
            case list([String])
            /// Requests for which the closure returns true. It receives `nil` if there is no origin.
            case check(@Sendable (String?) -> Bool)
        }

        /// The pages that may connect to a server. Others receive the status 403.
        public var origins = Origins.same
        /// The subprotocols of this side, the preferred one first. A server chooses the first one that the client offers.
        public var subprotocols: [String] = []
        /// The maximum size of a received message, after decompression. A larger one ends the WebSocket with the close code
        /// 1009. `nil` means no limit: then receive ``WebSocket/fragments``, not messages.
        public var messageBytes: Int? = 1024 * 1024
        /// The maximum size of a received frame, before decompression. `nil` means that only ``messageBytes`` applies.
        public var frameBytes: Int?
        /// The compression. `nil`, the default, means none: it costs hundreds of kilobytes and much time for each
        /// connection.
        public var compression: WebSocketCompression?
        /// The time without a received byte after which a ping is sent, at the limit or up to the same time later. If the
        /// peer then sends nothing for this time, the WebSocket fails with `timedOut`. `nil` means no pings. The time does not run while received messages are
        /// paused.
        public var keepAlive: Duration? = .seconds(30)
        /// The time for the peer's answer to a Close frame, and for the end of its stream. Then the connection is closed.
        public var closeTime = Duration.seconds(5)

        /// Creates the default settings.
        public init() {}

        /// Creates settings from the default ones: `WebSocketConfiguration { $0.origins = .any }`.
        ///
        /// - Parameter change: Changes the settings.
        public init(_ change: (inout WebSocketConfiguration) -> Void) {
            self.init()
            change(&self)
        }
    }
#endif
