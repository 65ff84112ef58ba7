// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSockets

    /// One operation of a server (NATS client protocol, docs.nats.io/reference/reference-protocols/nats-protocol).
    enum ServerOperation {
        /// The server's description, as JSON. The first operation, and repeated when the cluster changes.
        case info(Bytes)
        /// A message for the subscription with this number.
        case message(subscription: Int, Delivery)
        case ping
        case pong
        case ok
        /// The text of an error, without quotes.
        case error(String)
    }

    /// A message as it was received. The headers are not parsed yet.
    struct Delivery {
        let subject: String
        let reply: String?
        /// The block of headers, or empty.
        let headers: Bytes
        let payload: Bytes
    }
#endif
