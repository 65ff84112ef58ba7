// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSockets

    /// A reader's requests for messages to one consumer. The reply subject of each request ends with its number.
    ///
    /// A status has the reply subject of its request. A message has the subject of its publication instead, so it counts
    /// for the oldest request.
    struct PullRequests {
        private struct Request {
            let number: Int
            /// The number of requested messages that have not arrived.
            var missing: Int
        }

        private let prefix = "_INBOX.\(RequestInbox.randomName())."
        /// The requests with missing messages, in the order of their numbers.
        private var requests: [Request] = []
        /// The number of the first request that has not been replaced.
        private var first = 1
        private var last = 0
        /// The number of messages that have arrived.
        private(set) var received = 0

        /// The subject that matches every reply subject.
        var replies: String { "\(prefix)*" }

        /// The number of requested messages that have not arrived.
        var outstanding: Int { requests.reduce(0) { $0 + $1.missing } }

        /// Adds a request for at least one message, and returns its reply subject.
        mutating func add(_ count: Int) -> String {
            last += 1
            requests.append(Request(number: last, missing: count))
            return "\(prefix)\(last)"
        }

        /// Counts the arrival of a message.
        mutating func receive() {
            received += 1
            guard let oldest = requests.first else { return }
            if oldest.missing > 1 { requests[0].missing -= 1 } else { requests.removeFirst() }
        }

        /// Handles the expiry of a request. All earlier requests have expired too.
        ///
        /// Expiries of replaced requests change nothing. The server may still have such requests, because a pause of the
        /// process or a short reconnect loses none.
        mutating func expire(_ reply: String) {
            guard let number = number(of: reply) else { return }
            requests.removeAll { $0.number <= number }
        }

        /// Returns whether a status with this subject belongs to a request that has not been replaced.
        func isCurrent(_ reply: String) -> Bool { number(of: reply).map { $0 >= first } ?? false }

        /// Forgets the requests because new ones replace them.
        mutating func replaceAll() {
            requests = []
            first = last + 1
        }

        private func number(of reply: String) -> Int? {
            guard reply.hasPrefix(prefix) else { return nil }
            return WireInteger(decimal: reply.dropFirst(prefix.count))?.value(in: 1...max(1, last))
        }
    }
#endif
