// SPDX-License-Identifier: MIT
#if NATS
    /// A stream's acknowledgement of a stored message.
    public struct NATSPublishAck: Sendable, Hashable {
        /// The name of the stream.
        public var stream: String
        /// The message's sequence number in the stream.
        public var sequence: Int
        /// Whether the stream already had a message with the same id. In that case it does not store this one again.
        public var isDuplicate: Bool
    }
#endif
