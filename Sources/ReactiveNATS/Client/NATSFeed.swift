// SPDX-License-Identifier: MIT
#if NATS
    /// One subject that a client is subscribed to. Only the client's loop accesses it.
    ///
    /// The client subscribes every feed again on a new connection. A feed that was added without a connection is
    /// subscribed when a connection exists.
    final class NATSFeed {
        let subject: String
        let queueGroup: String?
        let onMessage: (NATSMessage) -> Void
        let onEnd: (NATSError) -> Void
        /// Called each time a connection has been established. Several feeds are called in no particular order.
        let onUp: (() -> Void)?
        /// The number of the subscription on the current connection. `nil` means that there is none.
        var number: Int?
        /// Whether the feed is removed once the messages that are on their way have been delivered.
        var isDraining = false
        /// The index in the client's list, or -1.
        var index = -1

        init(
            _ subject: String,
            _ queueGroup: String? = nil,
            onMessage: @escaping (NATSMessage) -> Void,
            onEnd: @escaping (NATSError) -> Void,
            onUp: (() -> Void)? = nil
        ) {
            self.subject = subject
            self.queueGroup = queueGroup
            self.onMessage = onMessage
            self.onEnd = onEnd
            self.onUp = onUp
        }
    }
#endif
