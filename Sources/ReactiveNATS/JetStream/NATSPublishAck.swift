#if NATS
    /// What a stream says when it has kept a message.
    public struct NATSPublishAck: Sendable, Hashable {
        /// The stream.
        public var stream: String
        /// The message's number in it.
        public var sequence: Int
        /// Whether the stream had a message with the same id already, which is this one: it is kept once.
        public var isDuplicate: Bool
    }
#endif
