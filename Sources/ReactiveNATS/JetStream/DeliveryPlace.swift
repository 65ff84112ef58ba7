#if NATS
    import ReactiveSockets

    /// Where in a stream a delivered message is, as the server writes it into the subject for replies:
    /// `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<consumer's sequence>.<time>.<pending>`.
    struct DeliveryPlace: Sendable, Hashable {
        /// What a count or a sequence number of the server may be. There is room for the next one.
        static let numbers = 0...Int.max - 1

        private static let prefix = "$JS.ACK."

        let stream: String
        let consumer: String
        let deliveries: Int
        let sequence: Int
        let consumerSequence: Int
        /// In nanoseconds since 1970.
        let time: Int64
        let pending: Int

        /// Whether a reply subject claims to be a place.
        static func isClaimed(by reply: String) -> Bool { reply.hasPrefix(prefix) }

        /// Reads the subject; nil where a part is missing, or a number is none or out of range.
        init?(_ reply: String) {
            guard Self.isClaimed(by: reply) else { return nil }
            var parts = reply.split(separator: ".", omittingEmptySubsequences: false)[2...]
            // Newer servers put a domain and an account in front, and something at the end.
            if parts.count >= 9 { parts = parts.dropFirst(2).prefix(7) }
            guard parts.count == 7, let stream = parts.popFirst(), let consumer = parts.popFirst(),
                !stream.isEmpty, !consumer.isEmpty
            else { return nil }
            let numbers = parts.compactMap { WireInteger(decimal: $0)?.value(in: Self.numbers) }
            guard numbers.count == 5 else { return nil }
            self.stream = String(stream)
            self.consumer = String(consumer)
            (deliveries, sequence, consumerSequence) = (numbers[0], numbers[1], numbers[2])
            (time, pending) = (Int64(clamping: numbers[3]), numbers[4])
        }
    }
#endif
