// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// A graceful close in progress: its stage and its time limit.
///
/// `awaitSending` and `discard` assert their stage. The transitions return the timers that the caller must dispose.
final class Closing {
    /// The maximum number of bytes to discard. The connection is closed when it has discarded more.
    static let discardLimit = 1024 * 1024

    private enum Stage {
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

    private var stage = Stage.begun
    /// The time limit of `close(within:)`.
    private var deadline: (instant: LoopInstant, timer: any Disposable)?

    var isDiscarding: Bool { if case .discarding = stage { true } else { false } }

    var timers: [any Disposable] { [stage.timer, deadline?.timer].compactMap(\.self) }

    /// Records that `remaining` bytes wait for the peer. `timer` calls `check`.
    func awaitSending(_ remaining: Int, _ timer: any Disposable) {
        guard case .begun = stage else { return assertionFailure("awaitSending in \(stage)") }
        stage = .sending(timer, StallClock(remaining))
    }

    /// Compares `remaining` with its value at the last check. Returns whether the peer has accepted no byte for too
    /// long.
    func check(_ remaining: Int) -> Bool {
        guard case .sending(let timer, var clock) = stage else { return false }
        defer { stage = .sending(timer, clock) }
        return clock.hasReachedLimit(remaining)
    }

    /// Discards received bytes until the peer ends its stream or `timer` fires. Returns the timer to dispose.
    func beginDiscarding(_ timer: any Disposable) -> (any Disposable)? {
        if isDiscarding { return timer }
        defer { stage = .discarding(timer, 0) }
        return stage.timer
    }

    /// Counts discarded bytes. Returns whether there are too many.
    func discard(_ count: Int) -> Bool {
        guard case .discarding(let timer, let before) = stage else {
            assertionFailure("discard in \(stage)")
            return false
        }
        stage = .discarding(timer, before + count)
        return before + count > Self.discardLimit
    }

    /// Whether there is no time limit yet, or `instant` is earlier than the current one.
    func needsDeadline(at instant: LoopInstant) -> Bool { deadline.map { instant < $0.instant } ?? true }

    /// Sets the time limit. Returns the timer to dispose.
    func setDeadline(_ instant: LoopInstant, _ timer: any Disposable) -> (any Disposable)? {
        defer { deadline = (instant, timer) }
        return deadline?.timer
    }
}
