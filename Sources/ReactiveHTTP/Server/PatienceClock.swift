// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSupport

    /// The time limits of the waits of a server's connection. They share one timer, so a request sets none.
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

        let period: Duration
        private let head: Duration
        private let idle: Duration
        private var clock = StallClock<Wait, UInt64>()

        init(head: Duration, idle: Duration) {
            let shortest = min(head, idle)
            period = max(shortest / StallClock<Wait, UInt64>.checksPerLimit, .milliseconds(1))
            self.head = head
            self.idle = idle
        }

        /// Whether this wait has lasted for at least one interval.
        func hasLasted(_ wait: Wait) -> Bool { clock.hasLasted(wait) }

        /// Compares the wait with that of the last check. Returns whether it has reached its limit. `nil` means that
        /// the connection does not wait for its peer.
        mutating func check(_ wait: Wait?) -> Bool {
            let checks = clock.check(wait)
            guard checks > 0, let wait else { return false }
            return period * checks >= limit(of: wait)
        }

        private func limit(of wait: Wait) -> Duration {
            switch wait {
            case .head: head
            case .request, .body: idle
            }
        }
    }
#endif
