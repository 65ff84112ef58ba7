// SPDX-License-Identifier: MIT
#if NATS
    /// One subject that a client is subscribed to. It belongs to the client's loop.
    ///
    /// A new connection subscribes every feed again. A feed that was added without a connection is subscribed when one
    /// exists.
    final class NATSFeed {
        let subject: String
        let queueGroup: String?
        let onMessage: (NATSMessage) -> Void
        let onEnd: (NATSError) -> Void
        /// The buffer that nats.c fills, or nil if the loop takes the messages after each read.
        let arrivals: NATSArrivals?
        var native: NATSNativeSubscription?
        /// The index in the client's list, or -1.
        var index = -1

        init(
            _ subject: String,
            _ queueGroup: String? = nil,
            arrivals: NATSArrivals? = nil,
            onMessage: @escaping (NATSMessage) -> Void,
            onEnd: @escaping (NATSError) -> Void
        ) {
            self.subject = subject
            self.queueGroup = queueGroup
            self.arrivals = arrivals
            self.onMessage = onMessage
            self.onEnd = onEnd
        }
    }
#endif
