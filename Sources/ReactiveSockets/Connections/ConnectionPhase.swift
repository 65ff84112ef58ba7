import ReactiveCore

/// Whether a connection is established, being closed gracefully, or closed.
///
/// A value of one word. Its transitions call nothing: they return the timers that the caller has to dispose.
enum ConnectionPhase {
    case established
    /// `close` has been called. The descriptor is open.
    indirect case closing(Closing)
    /// The descriptor has been closed.
    case closed

    /// Whether the descriptor is open.
    @inline(__always)
    var isOpen: Bool { if case .closed = self { false } else { true } }

    var isClosing: Bool { if case .closing = self { true } else { false } }

    /// Whether everything has been sent, and only the peer's end of stream is missing.
    @inline(__always)
    var isDiscarding: Bool { if case .closing(let closing) = self { closing.isDiscarding } else { false } }

    /// Returns whether this call begins the closing.
    mutating func beginClosing() -> Bool {
        guard case .established = self else { return false }
        self = .closing(Closing())
        return true
    }

    /// The connection waits until the peer has taken the `remaining` bytes. `timer` calls ``check(_:)``.
    mutating func awaitSending(_ remaining: Int, _ timer: any Disposable) {
        guard case .closing(var closing) = self else { return }
        closing.stage = .sending(timer, StallDetector(remaining: remaining))
        self = .closing(closing)
    }

    /// The timer compares the `remaining` bytes with those at its last look. Returns whether the peer has taken nothing for too long.
    mutating func check(_ remaining: Int) -> Bool {
        guard case .closing(var closing) = self, case .sending(let timer, var progress) = closing.stage else {
            return false
        }
        progress.check(remaining: remaining)
        closing.stage = .sending(timer, progress)
        self = .closing(closing)
        return progress.unchangedChecks >= StallDetector.checksPerTimeout
    }

    /// Whether the connection is being closed and does not discard yet.
    var canDiscard: Bool { isClosing && !isDiscarding }

    /// The connection discards what it receives until the peer ends its stream, or `timer` fires. Returns the timer to dispose.
    mutating func beginDiscarding(_ timer: any Disposable) -> (any Disposable)? {
        guard case .closing(var closing) = self, !closing.isDiscarding else { return timer }
        let last = closing.stage.timer
        closing.stage = .discarding(timer, 0)
        self = .closing(closing)
        return last
    }

    /// `count` bytes have been discarded. Returns whether the peer has sent too many.
    mutating func discard(_ count: Int) -> Bool {
        guard case .closing(var closing) = self, case .discarding(let timer, let before) = closing.stage else {
            return false
        }
        closing.stage = .discarding(timer, before + count)
        self = .closing(closing)
        return before + count > Closing.discardLimit
    }

    /// Whether a time limit that ends at `instant` counts: the earliest of several does.
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

    /// The descriptor is closed. Returns the timers to dispose.
    mutating func end() -> [any Disposable] {
        defer { self = .closed }
        guard case .closing(let closing) = self else { return [] }
        return closing.timers
    }
}
