// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSockets

    /// The position of a delivered message in a stream. The server encodes it in the reply subject:
    /// `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.<consumer's sequence>.<time>.<pending>`.
    struct DeliveryPosition: Sendable, Hashable {
        /// The valid range of the server's counts and sequence numbers. Adding 1 to the upper bound does not overflow.
        static let numbers = 0...Int.max - 1

        private static let prefix = "$JS.ACK."

        let stream: String
        let consumer: String
        let deliveries: Int
        let sequence: Int
        let consumerSequence: Int
        /// The time of storage in nanoseconds since 1970.
        let time: Int64
        let pending: Int

        /// Whether a reply subject has the prefix of a position.
        static func isClaimed(by reply: String) -> Bool { reply.hasPrefix(prefix) }

        /// Parses a reply subject. Returns nil if a part is missing, or if a number is malformed or out of range.
        init?(_ reply: String) {
            guard Self.isClaimed(by: reply) else { return nil }
            var parts = reply.split(separator: ".", omittingEmptySubsequences: false)[2...]
            // Newer servers add a domain and an account at the front, and a token at the end.
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
