#if NATS
    /// How much is kept for a subscriber that does not take its messages; whichever is reached first counts.
    public struct NATSPendingLimits: Sendable, Hashable {
        /// How many messages. Less than one counts as one.
        public var messages: Int
        /// How many bytes of them: payloads, subjects, replies and headers. A message that has more than that itself is
        /// dropped alone, whatever the policy drops else.
        public var bytes: Int

        /// Makes limits: 65 536 messages or 64 MiB unless said otherwise.
        public init(messages: Int = 65_536, bytes: Int = 64 * 1024 * 1024) {
            self.messages = messages
            self.bytes = bytes
        }
    }

    /// What becomes of a message when as many as the limits allow are waiting for the subscriber already.
    public enum SlowSubscriberPolicy: Sendable, Hashable {
        /// Drops the message that came. It is counted and reported.
        case dropNewest
        /// Drops the messages that have waited longest, as many as the new one needs: the subscriber stays up to date. They are
        /// counted and reported.
        case dropOldest
        /// Ends the subscription: the messages that wait are delivered, then it fails with `slowSubscriber`.
        case fail
    }
#endif
