// SPDX-License-Identifier: MIT
#if HTTP
    /// The limits of an HTTP connection. Each bounds the memory, the time or the number of messages that a peer can use.
    public struct HTTPLimits: Sendable, Hashable {
        /// The maximum number of bytes of a request line or a status line, without its CRLF. A longer request line is
        /// answered with 414.
        public var startLine = 8 * 1024
        /// The maximum number of header fields, and of trailer fields. A message with more is answered with 431.
        /// Values above 65,534 count as that number.
        public var fieldCount = 100
        /// The maximum number of bytes of all header fields together, with colons, whitespace and CRLFs. The trailer
        /// fields have the same limit. A larger head is answered with 431.
        public var fieldBytes = 32 * 1024
        /// The maximum number of bytes of all chunk extensions of one body together. A body with more is answered with
        /// 413.
        public var chunkExtensionBytes = 16 * 1024
        /// The maximum number of bytes of a received body. A larger one is answered with 413. `nil` means no limit: the
        /// subscriber of the body's signal limits the memory by its pauses.
        public var bodyBytes: Int?
        /// The maximum number of bytes that ``HTTPBody/bytes(limit:)`` collects, unless the call states another limit.
        public static let collectedBytes = 1024 * 1024
        /// The time for a head, from its first byte to its last. A single byte does not extend it. A slower request is
        /// answered with 408.
        public var headTime = Duration.seconds(10)
        /// The time that the peer may be silent: between two requests, when the connection is closed, or in a body that
        /// is read, which is answered with 408. A peer that accepts no byte of its response for this time is reset, at most a
        /// quarter of it late. The time that the service takes does not count.
        public var idleTime = Duration.seconds(60)
        /// Whether a server still answers a client that has ended its stream while its response is pending. The default is
        /// `false`: the server treats such a client as gone, disposes the subscription to the service, and closes the
        /// connection. This deviates from RFC 9112 section 9.6, because TCP cannot tell both clients apart.
        ///
        /// If it is `true`, `ConnectionTimeouts.halfClosed` limits how long the response may take. A response whose head has
        /// been sent continues in both cases, except a response of events, which ends with the client if this is `false`. An
        /// ``HTTPClient`` ignores this value.
        public var answersHalfClosed = false
        /// The number of requests on one connection. The last response has `Connection: close`. `nil` means no limit.
        public var requestsPerConnection: Int?

        /// Creates the default limits.
        public init() {}
    }
#endif
