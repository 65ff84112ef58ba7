// SPDX-License-Identifier: MIT
import ReactiveCore

/// A graceful close in progress: its stage and its time limit.
struct Closing {
    /// The connection is closed when it has discarded more than this many bytes.
    static let discardLimit = 1024 * 1024

    enum Stage {
        /// `close` is ending the sending direction. It does not know yet whether bytes wait.
        case begun
        /// Bytes wait until the peer accepts them. The timer compares counters to find out whether it does.
        case sending(any Disposable, StallDetector)
        /// The kernel has accepted all bytes. Received bytes are counted and discarded until the peer ends its stream
        /// or the timer fires.
        case discarding(any Disposable, Int)

        var timer: (any Disposable)? {
            switch self {
            case .begun: nil
            case .sending(let timer, _), .discarding(let timer, _): timer
            }
        }
    }

    var stage = Stage.begun
    /// The time limit of `close(within:)`.
    var deadline: (instant: LoopInstant, timer: any Disposable)?

    var isDiscarding: Bool { if case .discarding = stage { true } else { false } }

    var timers: [any Disposable] { [stage.timer, deadline?.timer].compactMap(\.self) }
}

/// Counts the successive checks in which the number of unacknowledged bytes has not changed.
struct StallDetector {
    /// The number of checks within the time limit. Several checks are needed, so that a process that was itself
    /// suspended does not treat its peer as stalled.
    static let checksPerTimeout = 4

    private var remaining: Int
    private(set) var unchangedChecks = 0

    init(remaining: Int) { self.remaining = remaining }

    mutating func check(remaining: Int) {
        unchangedChecks = remaining == self.remaining ? unchangedChecks + 1 : 0
        self.remaining = remaining
    }
}
