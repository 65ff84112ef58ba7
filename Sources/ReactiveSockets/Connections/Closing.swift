// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// A graceful close in progress: its stage and its time limit.
struct Closing {
    /// The maximum number of bytes to discard. The connection is closed when it has discarded more.
    static let discardLimit = 1024 * 1024

    enum Stage {
        /// `close` is ending the sending direction. Whether bytes wait is not known yet.
        case begun
        /// Bytes wait until the peer accepts them. The timer checks the counters for progress.
        case sending(any Disposable, StallClock<Int, UInt16>)
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
