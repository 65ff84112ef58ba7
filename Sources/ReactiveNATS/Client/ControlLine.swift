#if NATS
    /// How long a line of the protocol the server reads, as far as this client knows. It belongs to the client's loop.
    ///
    /// A server closes the connection of whoever sends a longer line, and what asks for the line asks again on the next
    /// connection. So the limit is looked at first, and where a server's is lower than was said, it is learnt from how long the
    /// lines were that the connection had been given: each time it closes, the longest of them is not sent again.
    struct ControlLine {
        /// A verb, the number of a subscription or the lengths of a payload and its headers, blanks and the end of the line.
        private static let rest = 32
        /// What every server reads: less than that is not learnt, whatever a server says.
        private static let least = 128

        private(set) var limit: Int
        private var longest = 0

        init(limit: Int) { self.limit = limit }

        /// How long the line is that publishes a message.
        static func length(publishing message: NATSMessage) -> Int {
            message.subject.utf8.count + (message.reply?.utf8.count ?? 0) + rest
        }

        /// How long the line is that subscribes.
        static func length(subscribing subject: String, _ queueGroup: String?) -> Int {
            subject.utf8.count + (queueGroup?.utf8.count ?? 0) + rest
        }

        /// Why a line of `length` is not sent; nil if it may be.
        func fault(of length: Int, _ subject: String) -> NATSError? {
            if length <= limit { return nil }
            let name = subject.utf8.count > 60 ? "\(subject.prefix(60))…" : subject
            return NATSError(
                .subjectTooLong,
                "\(name): its line of the protocol has \(length) bytes, the server reads \(limit)"
            )
        }

        /// A line has been given to the connection.
        mutating func sent(_ length: Int) { longest = max(longest, length) }

        /// There is a new connection.
        mutating func reset() { longest = 0 }

        /// The server has closed the connection; it learns if a line was too long.
        mutating func learn(from reason: NATSError) {
            guard reason.message.lowercased().contains("maximum control line"), longest > Self.least else { return }
            limit = min(limit, longest - 1)
        }
    }
#endif
