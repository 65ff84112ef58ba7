// SPDX-License-Identifier: MIT
/// Measures how long a connection has waited for its peer without progress. A timer checks it four times within the
/// limit.
///
/// It compares counters, so receiving and sending cost nothing. The limit is reached by four checks in a row without
/// progress. It is therefore never early and at most a quarter late. Its size is 15 bytes, and it calls no other code.
struct StallClock {
    static let checksPerTimeout = 4

    /// A connection's wait for its peer, and the progress so far.
    struct Wait: Equatable {
        /// The number of bytes received or sent.
        var transferred: Int
        /// The number of bytes in the kernel that the peer has not acknowledged.
        var unacknowledged: Int32 = 0
        var isForReading = false
        var isForSending = false

        /// The sum of this progress and that of another connection.
        func adding(_ other: Wait?) -> Wait {
            guard let other else { return self }
            var sum = self
            sum.transferred += other.transferred
            sum.unacknowledged &+= other.unacknowledged
            return sum
        }
    }

    /// The wait that the last check found. `nil` means that the connection did not wait, or that the clock has been
    /// restarted.
    private var last: Wait?
    private var unchangedChecks: UInt8 = 0

    /// Creates a clock whose first check is a quarter of the limit later.
    init(_ wait: Wait? = nil) { last = wait }

    /// Records a check. `wait` is nil if the connection does not wait for its peer. Returns whether the limit is
    /// reached.
    mutating func check(_ wait: Wait?) -> Bool {
        guard let wait, wait == last else {
            last = wait
            unchangedChecks = 0
            return false
        }
        unchangedChecks += 1
        return unchangedChecks >= Self.checksPerTimeout
    }

    /// Starts over. Counting begins at the next check, at most a quarter of the limit later.
    mutating func restart() {
        last = nil
        unchangedChecks = 0
    }
}
