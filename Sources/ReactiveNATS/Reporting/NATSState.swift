#if NATS
    /// How a client is connected.
    public enum NATSState: Sendable, Hashable {
        /// It is on its way to a server for the first time. What is published waits.
        case connecting
        /// It has a server.
        case connected
        /// The server has gone, and it is looking for one. What is published waits, up to the options' limit.
        case reconnecting
        /// It is over: closed on this side (nil), or for the reason given.
        case closed(NATSError?)

        /// Whether it is over.
        public var isClosed: Bool { if case .closed = self { true } else { false } }
    }
#endif
