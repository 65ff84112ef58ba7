#if NATS
    /// What a stream has.
    public struct NATSStreamInfo: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// What it takes.
        public var subjects: [String]
        /// How many messages, and bytes, it keeps now.
        public var messages: Int
        public var bytes: Int
        /// The sequence numbers of the first and the last message; 0 where there has been none.
        public var firstSequence: Int
        public var lastSequence: Int
        /// How many consumers it has.
        public var consumers: Int

        init?(_ json: JSONValue) {
            guard let name = json["config"]?["name"]?.string, let state = json["state"] else { return nil }
            self.name = name
            subjects = json["config"]?["subjects"]?.array?.compactMap(\.string) ?? []
            func count(_ name: String) -> Int { state[name]?.integer(in: DeliveryPlace.numbers) ?? 0 }
            messages = count("messages")
            bytes = count("bytes")
            firstSequence = count("first_seq")
            lastSequence = count("last_seq")
            consumers = count("consumer_count")
        }
    }
#endif
