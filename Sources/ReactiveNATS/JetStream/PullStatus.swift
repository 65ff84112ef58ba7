#if NATS
    import ReactiveSockets

    /// What a server says to somebody who has asked for messages, in place of a message.
    enum PullStatus: Sendable, Hashable {
        /// It is there, and has nothing (100).
        case idle
        /// The request is over, and so many messages of it do not come (404, 408).
        case isOver(missing: Int)
        /// The consumer has gone, or nobody knows of it yet (409, 503).
        case consumerHasGone
        /// Something that this client knows nothing of.
        case unknown

        /// Reads the headers; `outstanding` is how many messages have been asked for and have not come. A server that does not
        /// say how many of them are missing, or says what cannot be, means all.
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
