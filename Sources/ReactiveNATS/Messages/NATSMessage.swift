#if NATS
    public import ReactiveSockets

    /// What travels through NATS: some bytes under a subject.
    public struct NATSMessage: Sendable, Hashable {
        /// Where it was, or is to be, published: parts with dots between, `room.42.said`.
        public var subject: String
        /// Where an answer is expected, if one is.
        public var reply: String?
        /// The headers; servers before 2.2 take none.
        public var headers: NATSHeaders
        /// What it says; it may be empty.
        public var payload: Bytes

        /// Makes a message to be published.
        public init(_ payload: Bytes, to subject: String, reply: String? = nil, headers: NATSHeaders = [:]) {
            self.subject = subject
            self.reply = reply
            self.headers = headers
            self.payload = payload
        }

        /// How many bytes it has: payload, names and headers.
        var size: Int {
            let headers = headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
            return payload.count + subject.utf8.count + (reply?.utf8.count ?? 0) + headers
        }

        /// What it takes while it waits: its bytes, and something for the rest.
        var cost: Int { size + 64 }
    }
#endif
