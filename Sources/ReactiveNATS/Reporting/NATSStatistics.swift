#if NATS
    /// What has gone through a client since it was made.
    public struct NATSStatistics: Sendable, Hashable {
        /// Messages given to the connection, requests and JetStream's own ones included.
        public var published = 0
        /// Of those, how many the server has confirmed to have received.
        public var confirmed = 0
        /// Of those, how many were under way when a connection broke: each has arrived, or is lost. An upper bound.
        public var unconfirmed = 0
        /// Messages that were refused here: too large, no room while there was no connection, a subject that is none.
        public var refused = 0
        /// Messages received, for all subscribers together.
        public var received = 0
        /// Of those, how many a slow subscriber lost by its own policy.
        public var dropped = 0
        /// How often the connection has been made again.
        public var reconnects = 0
    }
#endif
