// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSockets

    /// The status that a server sends instead of a message.
    enum PullStatus: Sendable, Hashable {
        /// The server is alive but has no message (100).
        case idle
        /// The request has expired, and this number of its messages will not arrive (404, 408).
        case isOver(missing: Int)
        /// The consumer was deleted, or is not known yet (409, 503).
        case consumerHasGone
        /// An unknown status.
        case unknown

        /// Parses the headers.
        ///
        /// `outstanding` is the number of requested messages that have not arrived. If the number of missing messages
        /// is absent or invalid, all of them are missing.
        init(_ headers: NATSHeaders, outstanding: Int) {
            switch headers["Status"] {
            case "100": self = .idle
            case "404", "408":
                let missing = headers["Nats-Pending-Messages"].flatMap { WireInteger(decimal: $0) }
                self = .isOver(missing: missing?.value(in: 0...max(0, outstanding)) ?? outstanding)
            case "409", "503": self = .consumerHasGone
            default: self = .unknown
            }
        }
    }
#endif
