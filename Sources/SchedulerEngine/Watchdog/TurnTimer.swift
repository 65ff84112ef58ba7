// SPDX-License-Identifier: MIT

/// Decides from observations whether a loop has run callbacks for too long.
///
/// The loop's thread may wait for a processor. Then the machine is too slow, and not the callback. That time does not
/// count.
struct TurnTimer {
    enum Verdict: Equatable {
        case nothing
        /// The turn has reached the limit now. The value is its time in nanoseconds.
        case blocked(Int64)
        /// A turn that had reached the limit has ended.
        case ended(Int64)
    }

    private enum Phase {
        /// The loop waits, or does not run.
        case quiet
        case observed(Turn)
        case reported(Turn)
    }

    private struct Turn {
        let stamp: UInt64
        /// The counted time, in nanoseconds.
        var time: Int64 = 0
        var first: ThreadLoad?
        var last: ThreadLoad?
        /// The time for which the thread could have run and has not, until now.
        var stalled: Int64 = 0
        /// The time that was reported.
        var reported: Int64 = 0

        var own: Int64 { time - stalled - ((last?.delay ?? 0) - (first?.delay ?? 0)) }

        mutating func add(_ interval: Int64, _ load: ThreadLoad?) {
            time += interval
            if let load, let last, load.isRunnable, load.used == last.used, load.delay == last.delay {
                stalled += interval
            } else {
                stalled = 0
            }
            if first == nil { first = load }
            // A load that cannot be read does not change what is known.
            last = load ?? last
        }
    }

    private var phase = Phase.quiet

    /// Whether a turn has been reported whose end has not.
    var awaitsEnd: Bool { if case .reported = phase { true } else { false } }

    /// Takes an observation.
    ///
    /// - Parameters:
    ///   - stamp: A number that is the same as long as the loop does not wait. nil if the loop waits or does not run.
    ///   - interval: The time to count since the previous observation, in nanoseconds.
    ///   - limit: How long a turn may last, in nanoseconds.
    ///   - load: Reads the records of the loop's thread. It is called from the second observation of a turn on.
    mutating func observe(
        stamp: UInt64?,
        interval: Int64,
        limit: Int64,
        load: () -> ThreadLoad?
    ) -> Verdict {
        switch phase {
        case .observed(var turn) where turn.stamp == stamp:
            turn.add(interval, load())
            if turn.own < limit {
                phase = .observed(turn)
                return .nothing
            }
            turn.reported = turn.own
            phase = .reported(turn)
            return .blocked(turn.reported)
        case .reported(var turn) where turn.stamp == stamp:
            turn.add(interval, load())
            phase = .reported(turn)
            return .nothing
        case .reported(let turn):
            begin(stamp)
            return .ended(max(turn.own, turn.reported))
        case .observed, .quiet:
            begin(stamp)
            return .nothing
        }
    }

    /// Forgets the time of a turn that has not been reported. Call it after the process was stopped.
    mutating func startOver() {
        if case .observed(let turn) = phase { begin(turn.stamp) }
    }

    private mutating func begin(_ stamp: UInt64?) {
        phase = stamp.map { .observed(Turn(stamp: $0)) } ?? .quiet
    }
}
