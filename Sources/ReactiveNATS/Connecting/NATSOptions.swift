#if NATS
    /// How a client connects.
    public struct NATSOptions: Sendable, Hashable {
        /// What the server calls this client in its reports.
        public var name: String?
        /// Who this is.
        public var credentials: NATSCredentials
        /// What TLS is to be; nil leaves it to the server.
        public var security: NATSSecurity?
        /// How long one attempt to reach one server may take. Two seconds unless said otherwise.
        public var connectTimeout: Duration
        /// How often all servers are tried again after a connection broke; nil stands for ever. Zero: not at all.
        public var maximumReconnects: Int?
        /// How long to wait before the servers are tried again.
        public var reconnectWait: Duration
        /// How much of that time is added at random, at most, so that many clients do not come back at once.
        public var reconnectJitter: Duration
        /// How many bytes of messages wait while there is no connection; what comes then is refused as `bufferFull`.
        public var reconnectBuffer: Int
        /// The longest line of the protocol that is sent, in bytes: a subject, the reply or the queue group, and 32 bytes for
        /// the rest. What is longer is refused as `subjectTooLong`.
        ///
        /// A server closes the connection of a client that sends a longer line than its `max_control_line` says, and does not
        /// tell that setting. Every server takes 4096 unless it is configured otherwise, and so does this. Where a server that
        /// takes less closes the connection all the same, the client learns the limit from that, and does not send the line
        /// again.
        public var maximumControlLine: Int
        /// How often the server is asked whether it is there. What does not answer twice is given up.
        public var pingInterval: Duration
        /// How much waits for a slow server before ``NATSClient/publish(from:)`` holds its source back, in bytes; it goes on at
        /// a quarter of that.
        public var highWatermark: Int
        /// Whether the server sends this client its own messages too. It does unless said otherwise.
        public var hearsItself: Bool

        /// Makes options; every one has a default.
        public init(
            name: String? = nil,
            credentials: NATSCredentials = .none,
            security: NATSSecurity? = nil,
            connectTimeout: Duration = .seconds(2),
            maximumReconnects: Int? = nil,
            reconnectWait: Duration = .seconds(2),
            reconnectJitter: Duration = .milliseconds(100),
            reconnectBuffer: Int = 8 * 1024 * 1024,
            maximumControlLine: Int = 4096,
            pingInterval: Duration = .seconds(30),
            highWatermark: Int = 256 * 1024,
            hearsItself: Bool = true
        ) {
            self.name = name
            self.credentials = credentials
            self.security = security
            self.connectTimeout = connectTimeout
            self.maximumReconnects = maximumReconnects
            self.reconnectWait = reconnectWait
            self.reconnectJitter = reconnectJitter
            self.reconnectBuffer = reconnectBuffer
            self.maximumControlLine = maximumControlLine
            self.pingInterval = pingInterval
            self.highWatermark = highWatermark
            self.hearsItself = hearsItself
        }
    }
#endif
