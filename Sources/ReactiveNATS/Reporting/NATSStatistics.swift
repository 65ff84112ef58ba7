// SPDX-License-Identifier: MIT
#if NATS
    /// The counters of a client since its creation.
    public struct NATSStatistics: Sendable, Hashable {
        /// The number of messages passed to the connection, including requests and JetStream's messages.
        public var published = 0
        /// The number of published messages that the server has confirmed.
        public var confirmed = 0
        /// The number of published messages that were unconfirmed when a connection broke. Each of them may or may not
        /// have arrived, so at most this number of messages was lost.
        public var unconfirmed = 0
        /// The number of messages that the client refused, for example because of size, a full queue or an invalid
        /// subject.
        public var refused = 0
        /// The number of messages that subscriptions, requests and readers have received.
        public var received = 0
        /// The number of received messages that were dropped by the policies of slow subscribers.
        public var dropped = 0
        /// The number of reconnects.
        public var reconnects = 0
    }
#endif
