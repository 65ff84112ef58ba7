// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The phase of a connection: established, closing gracefully (rule N24), or closed.
///
/// Its size is one word. Its transitions call no other code: they return the timers that the caller must dispose. Each
/// asserts the phases in which it is legal.
enum ConnectionPhase {
    case established
    /// `close` has been called. The descriptor is still open.
    indirect case closing(Closing)
    /// The descriptor has been closed.
    case closed

    /// Whether the descriptor is open.
    @inline(__always)
    var isOpen: Bool { if case .closed = self { false } else { true } }

    var isClosing: Bool { if case .closing = self { true } else { false } }

    /// Whether everything has been sent and received bytes are discarded until the peer ends its stream.
    @inline(__always)
    var isDiscarding: Bool { if case .closing(let closing) = self { closing.isDiscarding } else { false } }

    /// Begins the close. Returns false if it has begun already.
    mutating func beginClosing() -> Bool {
        guard case .established = self else { return false }
        self = .closing(Closing())
        return true
    }

    /// Records that `remaining` bytes wait for the peer. `timer` calls `check`.
    mutating func awaitSending(_ remaining: Int, _ timer: any Disposable) {
        guard case .closing(var closing) = self, case .begun = closing.stage else {
            return assertionFailure("awaitSending in \(self)")
        }
        closing.stage = .sending(timer, StallClock(remaining))
        self = .closing(closing)
    }

    /// Compares `remaining` with its value at the last check. Returns whether the peer has accepted no byte for too
    /// long.
    mutating func check(_ remaining: Int) -> Bool {
        guard case .closing(var closing) = self, case .sending(let timer, var clock) = closing.stage else {
            return false
        }
        defer { self = .closing(closing) }
        let isStalled = clock.hasReachedLimit(remaining)
        closing.stage = .sending(timer, clock)
        return isStalled
    }

    /// Whether the connection is closing and not yet discarding.
    var canDiscard: Bool { isClosing && !isDiscarding }

    /// Discards received bytes until the peer ends its stream or `timer` fires. Returns the timer to dispose.
    mutating func beginDiscarding(_ timer: any Disposable) -> (any Disposable)? {
        guard case .closing(var closing) = self, !closing.isDiscarding else { return timer }
        let last = closing.stage.timer
        closing.stage = .discarding(timer, 0)
        self = .closing(closing)
        return last
    }

    /// Counts discarded bytes. Returns whether there are too many.
    mutating func discard(_ count: Int) -> Bool {
        guard case .closing(var closing) = self, case .discarding(let timer, let before) = closing.stage else {
            assertionFailure("discard in \(self)")
            return false
        }
        closing.stage = .discarding(timer, before + count)
        self = .closing(closing)
        return before + count > Closing.discardLimit
    }

    /// Whether there is no time limit yet, or `instant` is earlier than the current one.
    func needsDeadline(at instant: LoopInstant) -> Bool {
        guard case .closing(let closing) = self else { return false }
        return closing.deadline.map { instant < $0.instant } ?? true
    }

    /// Sets the time limit. Returns the timer to dispose.
    mutating func setDeadline(_ instant: LoopInstant, _ timer: any Disposable) -> (any Disposable)? {
        guard case .closing(var closing) = self else { return timer }
        let last = closing.deadline?.timer
        closing.deadline = (instant, timer)
        self = .closing(closing)
        return last
    }

    /// Ends the phase. Returns the timers to dispose.
    mutating func end() -> [any Disposable] {
        defer { self = .closed }
        guard case .closing(let closing) = self else { return [] }
        return closing.timers
    }
}
