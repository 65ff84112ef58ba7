// SPDX-License-Identifier: MIT
#if NATS
    /// The state of a client's connection.
    public enum NATSState: Sendable, Hashable {
        /// The client is connecting for the first time. Publications are queued.
        case connecting
        /// The client is connected to a server.
        case connected
        /// The connection broke, and the client is reconnecting. Publications are queued up to the options' limit.
        case reconnecting
        /// The client is closed. The error is the reason. `nil` means that this side closed it.
        case closed(NATSError?)

        /// Whether the client is closed.
        public var isClosed: Bool { if case .closed = self { true } else { false } }
    }
#endif
