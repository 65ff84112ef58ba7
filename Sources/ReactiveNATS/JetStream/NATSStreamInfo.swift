// SPDX-License-Identifier: MIT
#if NATS
    /// The state of a stream.
    public struct NATSStreamInfo: Sendable, Hashable {
        /// The name of the stream.
        public var name: String
        /// The subjects that the stream stores.
        public var subjects: [String]
        /// The number of stored messages.
        public var messages: Int
        /// The size of the stored messages in bytes.
        public var bytes: Int
        /// The sequence number of the first message, or 0 if no message was ever stored.
        public var firstSequence: Int
        /// The sequence number of the last message, or 0 if no message was ever stored.
        public var lastSequence: Int
        /// The number of consumers.
        public var consumers: Int

        init?(_ json: JSONValue) {
            guard let name = json["config"]?["name"]?.string, let state = json["state"] else { return nil }
            self.name = name
            subjects = json["config"]?["subjects"]?.array?.compactMap(\.string) ?? []
            func count(_ name: String) -> Int { state[name]?.integer(in: DeliveryPosition.numbers) ?? 0 }
            messages = count("messages")
            bytes = count("bytes")
            firstSequence = count("first_seq")
            lastSequence = count("last_seq")
            consumers = count("consumer_count")
        }
    }
#endif
