// SPDX-License-Identifier: MIT
#if NATS
    /// The status that a server sends instead of a message.
    enum PullStatus: Sendable, Hashable {
        /// The server is alive but has no message (100).
        case idle
        /// The request has expired (404, 408).
        case isOver
        /// The consumer was deleted, or is not known yet (409, 503).
        case consumerHasGone
        /// An unknown status.
        case unknown

        /// Parses the headers.
        init(_ headers: NATSHeaders) {
            switch headers["Status"] {
            case "100": self = .idle
            case "404", "408": self = .isOver
            case "409", "503": self = .consumerHasGone
            default: self = .unknown
            }
        }
    }
#endif
