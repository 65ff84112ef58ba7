// SPDX-License-Identifier: MIT
#if NATS
    /// Decides whether a server has left without a word, at the end of each interval between pings.
    ///
    /// The answer to a ping is behind all that the server sends, and the ping behind all that this client sends. So on a slow
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

        /// The server has sent something.
        mutating func hasReceived() { silence = 0 }

        /// The server has answered a ping.
        mutating func hasAnswered() { pingAge = 0 }

        /// Ends an interval. Returns why the server counts as gone, or nil.
        ///
        /// - Parameters:
        ///   - acknowledged: The number of bytes that the server's system has taken so far.
        ///   - areWaiting: Whether further bytes wait for it.
        ///   - isPinged: Whether a ping is unanswered.
        mutating func endInterval(acknowledged: Int, areWaiting: Bool, isPinged: Bool) -> String? {
            let isMoving = acknowledged > self.acknowledged
            self.acknowledged = acknowledged
            standstill = areWaiting && !isMoving ? standstill + 1 : 0
            // Small amounts are taken by the system of a server that has stopped. So they count only while more waits.
            if areWaiting && isMoving {
                (silence, pingAge) = (0, 0)
            } else {
                silence += 1
                pingAge += isPinged ? 1 : 0
            }
            if silence > Self.patience { return "the server sends nothing, and answers no pings" }
            if standstill > Self.patience { return "the server takes no bytes" }
            return pingAge > Self.pingPatience ? "the server answers no pings" : nil
        }
    }
#endif
