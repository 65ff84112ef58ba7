// SPDX-License-Identifier: MIT
#if HTTP
    /// Finds a wait that lasts too long by looking at it at intervals. So a request sets no timer.
    ///
    /// A limit is never reached early. It may be reached up to two intervals late: the first check comes up to one interval
    /// after the wait has begun, and a limit that is no multiple of the interval is rounded up.
    struct PatienceClock {
        /// What the connection waits for. A number changes when the wait starts over.
        enum Wait: Equatable {
            /// The next request. The number is that of the requests so far.
            case request(Int)
            /// The rest of a head. Its bytes do not start the wait over, so a slow sender gains nothing.
            case head(Int)
            /// The rest of a body. The number is that of its bytes so far.
            case body(Int)
        }

        /// The number of checks within the shortest limit.
        static let checksPerLimit = 4

        let period: Duration
        private let head: Duration?
        private let idle: Duration?
        private var last: Wait?
        private var checks = 0

        /// Returns `nil` if there is no limit.
        init?(head: Duration?, idle: Duration?) {
            guard let shortest = [head, idle].compactMap({ $0 }).min() else { return nil }
            period = max(shortest / Self.checksPerLimit, .milliseconds(1))
            self.head = head
            self.idle = idle
        }

        /// Whether this wait has lasted for at least one interval.
        func hasLasted(_ wait: Wait) -> Bool { wait == last && checks > 0 }

        /// Compares the wait with that of the last check. Returns whether it has reached its limit. `nil` means that
        /// the connection does not wait for its peer.
        mutating func check(_ wait: Wait?) -> Bool {
            guard let wait, wait == last else {
                last = wait
                checks = 0
                return false
            }
            checks += 1
            let limit: Duration?
            switch wait {
            case .head: limit = head
            case .request, .body: limit = idle
            }
            guard let limit else { return false }
            return period * checks >= limit
        }
    }
#endif
