// SPDX-License-Identifier: MIT
import ReactiveCore

/// A graceful close in progress: its stage and its time limit.
struct Closing {
    /// The connection is closed when it has discarded more than this many bytes.
    static let discardLimit = 1024 * 1024

    enum Stage {
        /// Sending is being ended.
        case begun
        /// Bytes wait for the peer. The timer compares counters.
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

/// The number of bytes that the peer has not acknowledged, and the number of successive checks that found no change.
struct StallDetector {
    /// The number of checks within the patience. There are several, so that a process that was itself suspended does
    /// not take its peer for a stalled one.
    static let checksPerTimeout = 4

    private var remaining: Int
    private(set) var unchangedChecks = 0

    init(remaining: Int) { self.remaining = remaining }

    mutating func check(remaining: Int) {
        unchangedChecks = remaining == self.remaining ? unchangedChecks + 1 : 0
        self.remaining = remaining
    }
}
