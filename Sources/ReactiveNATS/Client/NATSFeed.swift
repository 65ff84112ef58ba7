#if NATS
    /// One subject that a client listens to, for as long as it is the client's. It belongs to the client's loop.
    ///
    /// nats.c subscribes again by itself after a connection broke; a feed that was made while there was none is subscribed when
    /// there is one.
    final class NATSFeed {
        let subject: String
        let queueGroup: String?
        let onMessage: (NATSMessage) -> Void
        let onEnd: (NATSError) -> Void
        /// Where nats.c leaves the messages; nil where they are taken from it after each read.
        let arrivals: NATSArrivals?
        var native: NATSNativeSubscription?
        /// Where it is in the client's list, or -1.
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
