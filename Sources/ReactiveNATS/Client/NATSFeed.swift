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
        /// The buffer that nats.c fills. `nil` means that the loop takes the messages after each read.
        let arrivals: NATSArrivals?
        var native: NATSNativeSubscription?
        /// The index in the client's list, or -1.
        var index = -1

        init(
            _ subject: String,
            _ queueGroup: String? = nil,
            arrivals: NATSArrivals? = nil,
            onMessage: @escaping (NATSMessage) -> Void,
            onEnd: @escaping (NATSError) -> Void,
            onUp: (() -> Void)? = nil
        ) {
            self.subject = subject
            self.queueGroup = queueGroup
            self.arrivals = arrivals
            self.onMessage = onMessage
            self.onEnd = onEnd
            self.onUp = onUp
        }
    }
#endif
