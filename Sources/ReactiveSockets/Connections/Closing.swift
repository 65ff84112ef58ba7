import ReactiveCore

/// A graceful close that is under way: what it waits for, and its time limit.
struct Closing {
    /// The connection is closed when it has discarded more bytes than this.
    static let discardLimit = 1024 * 1024

    enum Stage {
        /// Sending is being ended.
        case begun
        /// The peer has yet to take the bytes that were sent before. The timer compares counters.
        case sending(any Disposable, StallDetector)
        /// Everything has been sent. Received bytes are counted and discarded until the peer ends its stream or the timer fires.
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

/// How many bytes the peer has yet to take, and at how many checksPerTimeout the number was the same.
struct StallDetector {
    /// A timer compares the counters this many times within the patience. A process that stood still itself therefore does not
    /// mistake its peer for one that did.
    static let checksPerTimeout = 4

    private var remaining: Int
    private(set) var unchangedChecks = 0

    init(remaining: Int) { self.remaining = remaining }

    mutating func check(remaining: Int) {
        unchangedChecks = remaining == self.remaining ? unchangedChecks + 1 : 0
        self.remaining = remaining
    }
}
