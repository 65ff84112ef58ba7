// SPDX-License-Identifier: MIT
#if NATS
    /// Decides whether a server has left without a word, at the end of each interval between pings.
    ///
    /// A ping waits behind all bytes that the client has sent before, and its answer behind those of the server. So on a slow
    /// connection both may take many intervals.
    struct Liveness {
        /// The number of intervals in which a server may send nothing, or take no waiting bytes.
        private static let patience = 3
        /// The number of intervals in which a server that sends something may leave a ping unanswered.
        private static let pingPatience = 10

        private var silence = 0
        private var standstill = 0
        private var pingAge = 0
        private var acknowledged = 0
        /// The number of bytes that were sent up to the end of the oldest unanswered ping, or a larger one. `nil` if all pings
        /// are answered.
        private var pingPosition: Int?

        /// The server has sent something.
        mutating func hasReceived() { silence = 0 }

        /// A ping was sent. `position` is the number of bytes that were sent so far.
        mutating func hasPinged(at position: Int) { pingPosition = pingPosition ?? position }

        /// The server has answered a ping.
        ///
        /// - Parameter next: The number of bytes that were sent so far. `nil` if all pings are answered.
        mutating func hasAnswered(next: Int?) {
            pingAge = 0
            pingPosition = next
        }

        /// Ends an interval. Returns why the server counts as gone, or nil.
        ///
        /// - Parameters:
        ///   - sent: The number of bytes that were sent so far.
        ///   - acknowledged: The number of these bytes that the server's system has taken.
        mutating func endInterval(sent: Int, acknowledged: Int) -> String? {
            let isMoving = acknowledged > self.acknowledged
            // The system of a stopped server still takes bytes. So they show that it lives only while the ping waits behind them.
            if isMoving, let pingPosition, acknowledged < pingPosition {
                (silence, pingAge) = (0, 0)
            } else {
                silence += 1
                pingAge += pingPosition == nil ? 0 : 1
            }
            standstill = sent > acknowledged && !isMoving ? standstill + 1 : 0
            self.acknowledged = acknowledged
            if silence > Self.patience { return "the server sends nothing, and answers no pings" }
            if standstill > Self.patience { return "the server takes no bytes" }
            return pingAge > Self.pingPatience ? "the server answers no pings" : nil
        }
    }
#endif
