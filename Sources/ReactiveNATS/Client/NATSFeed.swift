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
        /// Whether nats.c delivers the messages to a callback. Otherwise the loop takes them after each read. That is faster,
        /// but nats.c then discards an empty message whose header `Status` begins with 503, and only reports its arrival.
        let hasCallback: Bool
        /// The buffer of the callback, once the feed has been subscribed.
        var arrivals: NATSArrivals?
        var native: NATSNativeSubscription?
        /// Whether the feed is removed once nats.c has delivered the messages that are on their way.
        var isDraining = false
        /// The index in the client's list, or -1.
        var index = -1

        init(
            _ subject: String,
            _ queueGroup: String? = nil,
            hasCallback: Bool = false,
            onMessage: @escaping (NATSMessage) -> Void,
            onEnd: @escaping (NATSError) -> Void,
            onUp: (() -> Void)? = nil
        ) {
            self.subject = subject
            self.queueGroup = queueGroup
            self.hasCallback = hasCallback
            self.onMessage = onMessage
            self.onEnd = onEnd
            self.onUp = onUp
        }
    }
#endif
