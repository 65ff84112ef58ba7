// SPDX-License-Identifier: MIT
#if NATS
    public import ReactiveSockets

    /// A NATS message: a payload that is published to a subject.
    public struct NATSMessage: Sendable, Hashable {
        /// The subject, which consists of tokens separated by dots: `room.42.said`.
        public var subject: String
        /// The subject for a reply, or nil if no reply is expected.
        public var reply: String?
        /// The headers. Servers before version 2.2 do not support them.
        public var headers: NATSHeaders
        /// The payload, which may be empty.
        public var payload: Bytes

        /// Creates a message to publish.
        public init(_ payload: Bytes, to subject: String, reply: String? = nil, headers: NATSHeaders = [:]) {
            self.subject = subject
            self.reply = reply
            self.headers = headers
            self.payload = payload
        }

        /// The size of payload, subject, reply and headers in bytes.
        var size: Int {
            let headers = headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
            return payload.count + subject.utf8.count + (reply?.utf8.count ?? 0) + headers
        }

        /// The cost of a queued message: its size and a fixed overhead.
        var cost: Int { size + 64 }
    }
#endif
