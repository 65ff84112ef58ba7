// SPDX-License-Identifier: MIT
#if NATS
    /// The options of a client.
    public struct NATSOptions: Sendable, Hashable {
        /// The client's name in the server's reports. `nil` means no name.
        public var name: String?
        /// The client's credentials.
        public var credentials: NATSCredentials
        /// The TLS settings. `nil` uses TLS only if the server requires it.
        public var security: NATSSecurity?
        /// The time limit to look up one server and to connect to it. The same limit then applies to its first line, and to its
        /// answer to the client. The default is two seconds.
        public var connectTimeout: Duration
        /// The additional time for the answer of a server with TLS, because of the handshake. The default is 30 seconds.
        ///
        /// A server that does not accept the client within both times together fails with `timedOut`.
        public var handshakeTimeout: Duration
        /// The maximum number of attempts to reconnect after a connection broke. Each attempt tries all servers. `nil`
        /// means no limit, and zero never reconnects.
        public var maximumReconnects: Int?
        /// The delay between reconnection attempts. The default is two seconds.
        public var reconnectWait: Duration
        /// The maximum random time that is added to `reconnectWait`, so that many clients do not reconnect at the same
        /// time.
        public var reconnectJitter: Duration
        /// The maximum total size of the messages that are queued without a connection, in bytes. Each message counts
        /// as its size plus 64 bytes. Further messages fail with `bufferFull`. Requests to JetStream that are sent again after a
        /// reconnect count too, unless they were sent before the connection broke.
        public var reconnectBuffer: Int
        /// The maximum length of a protocol line that is sent, in bytes. Longer lines fail with `subjectTooLong`.
        ///
        /// The length of a line is the sum of the subject, the reply subject of a publication or the queue group of a
        /// subscription, and 32 bytes for the rest. A server closes a connection that sends a line longer than its
        /// `max_control_line`, and does not announce that setting. The default on both sides is 4096. If a server
        /// closes the connection because of a line within this limit, the client lowers the limit and does not send
        /// that line again.
        public var maximumControlLine: Int
        /// The interval between pings. The connection is dropped if the server sends nothing for four intervals, takes no
        /// waiting bytes for four, or leaves a ping unanswered for eleven.
        public var pingInterval: Duration
        /// The number of queued bytes at which ``NATSClient/publish(from:)`` pauses its source. The source is resumed
        /// at a quarter of this number. Zero pauses it while any byte is queued.
        public var highWatermark: Int
        /// Whether the client receives its own messages. The default is true.
        public var receivesOwnMessages: Bool

        /// Creates options. Every parameter has a default.
        public init(
            name: String? = nil,
            credentials: NATSCredentials = .none,
            security: NATSSecurity? = nil,
            connectTimeout: Duration = .seconds(2),
            handshakeTimeout: Duration = .seconds(30),
            maximumReconnects: Int? = nil,
            reconnectWait: Duration = .seconds(2),
            reconnectJitter: Duration = .milliseconds(100),
            reconnectBuffer: Int = 8 * 1024 * 1024,
            maximumControlLine: Int = 4096,
            pingInterval: Duration = .seconds(30),
            highWatermark: Int = 256 * 1024,
            receivesOwnMessages: Bool = true
        ) {
            self.name = name
            self.credentials = credentials
            self.security = security
            self.connectTimeout = connectTimeout
            self.handshakeTimeout = handshakeTimeout
            self.maximumReconnects = maximumReconnects
            self.reconnectWait = reconnectWait
            self.reconnectJitter = reconnectJitter
            self.reconnectBuffer = reconnectBuffer
            self.maximumControlLine = maximumControlLine
            self.pingInterval = pingInterval
            self.highWatermark = highWatermark
            self.receivesOwnMessages = receivesOwnMessages
        }
    }
#endif
