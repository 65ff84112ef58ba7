// SPDX-License-Identifier: MIT
#if NATS
    /// The maximum length of a protocol line, as far as the client knows. Only the client's loop accesses it.
    ///
    /// A server closes a connection that sends a longer line, and a retry would make it close the next connection too.
    /// So each line is checked first. The server's limit may be lower than the client knows. If the server closes the
    /// connection for that reason, the client lowers its own limit below the longest line that it sent on that
    /// connection.
    struct ControlLine {
        /// The bytes of a line besides subject, reply and queue group: verb, numbers, spaces and line ending.
        private static let rest = 32
        /// The lowest limit that the client infers. Every server accepts lines of this length.
        private static let least = 128

        private(set) var limit: Int
        private var longest = 0

        init(limit: Int) { self.limit = limit }

        /// The length of the line that publishes a message.
        static func length(publishing message: NATSMessage) -> Int {
            message.subject.utf8.count + (message.reply?.utf8.count ?? 0) + rest
        }

        /// The length of the line that subscribes.
        static func length(subscribing subject: String, _ queueGroup: String?) -> Int {
            subject.utf8.count + (queueGroup?.utf8.count ?? 0) + rest
        }

        /// The error for a line of `length`, or nil if the line may be sent.
        func fault(of length: Int, _ subject: String) -> NATSError? {
            if length <= limit { return nil }
            let name = subject.utf8.count > 60 ? "\(subject.prefix(60))…" : subject
            return NATSError(
                .subjectTooLong,
                "cannot use \(name): its protocol line has \(length) bytes, and the limit is \(limit)"
            )
        }

        /// Records a line that was sent on the connection.
        mutating func sent(_ length: Int) { longest = max(longest, length) }

        /// Starts a new connection.
        mutating func reset() { longest = 0 }

        /// Lowers the limit if the server closed the connection because of a long line.
        mutating func learn(from reason: NATSError) {
            guard reason.message.lowercased().contains("maximum control line"), longest > Self.least else { return }
            limit = min(limit, longest - 1)
        }
    }
#endif
