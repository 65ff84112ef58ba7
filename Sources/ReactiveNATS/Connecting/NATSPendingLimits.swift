// SPDX-License-Identifier: MIT
#if NATS
    /// The limits of the messages that are queued for a slow subscriber. The limit that is reached first applies.
    public struct NATSPendingLimits: Sendable, Hashable {
        /// The maximum number of messages. A value below 1 counts as 1.
        public var messages: Int
        /// The maximum number of bytes of payloads, subjects, replies and headers. A single message that exceeds this
        /// limit is never queued: even `dropOldest` drops it. A negative value counts as 0.
        public var bytes: Int

        /// Creates limits. The defaults are 65 536 messages and 64 MiB.
        public init(messages: Int = 65_536, bytes: Int = 64 * 1024 * 1024) {
            self.messages = messages
            self.bytes = bytes
        }
    }

    /// The policy for messages that exceed a slow subscriber's limits.
    public enum SlowSubscriberPolicy: Sendable, Hashable {
        /// Drops the new message. It is counted and reported.
        case dropNewest
        /// Drops as many of the oldest messages as the new one needs. They are counted and reported.
        case dropOldest
        /// Delivers the queued messages, then fails the subscription with `slowSubscriber`.
        case fail
    }
#endif
