// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The time limits (rule N27). A timer for each limit compares counters, so reads and writes set no timers.
extension ConnectionCore {
    func set(_ timeouts: ConnectionTimeouts) {
        guard isOpen else { return }
        extras?.timing?.stop()
        extras?.timing = nil
        endHalfClosedCheck()
        defer { if hasStreamEnded || isInputWaiting { measureHalfClosed() } }
        if timeouts == ConnectionTimeouts() { return }
        let timing = ConnectionTiming(halfClosed: timeouts.halfClosed)
        ensureExtras().timing = timing
        if let limit = timeouts.idle { measure(.idle, limit, timing) }
        if let limit = timeouts.readStalled { measure(.read, limit, timing) }
        if let limit = timeouts.writeStalled { measure(.write, limit, timing) }
        guard let limit = timeouts.lifetime else { return }
        // Weak, because a timer must not keep the connection open.
        let core = UnsafeTransfer(Weak(self))
        timing.add(
            loop.schedule(at: loop.now + limit, options: TimerOptions(keepsLoopAlive: false)) {
                core.value.object?.timeOut("it reached its lifetime of \(limit)")
            }
        )
    }

    private func measure(_ stall: ConnectionTiming.Stall, _ limit: Duration, _ timing: ConnectionTiming) {
        timing[stall] = StallClock(wait(for: stall))
        let core = UnsafeTransfer(Weak(self))
        let period = limit / StallClock.checksPerTimeout
        let options = TimerOptions(keepsLoopAlive: false)
        timing.add(
            loop.schedule(at: loop.now + period, repeating: .fixedDelay(period), options: options) {
                core.value.object?.check(stall, limit)
            }
        )
    }

    private func check(_ stall: ConnectionTiming.Stall, _ limit: Duration) {
        guard let timing = extras?.timing, timing[stall].check(wait(for: stall)) else { return }
        switch stall {
        case .idle: timeOut("it was idle for \(limit)")
        case .read: timeOut("the peer sent nothing for \(limit)")
        case .write: timeOut("the peer accepted nothing for \(limit)")
        }
    }

    /// Returns the connection's wait for its peer. `nil` means that it does not wait.
    private func wait(for stall: ConnectionTiming.Stall) -> StallClock.Wait? {
        // While the send buffer has room, a send completes without the peer. So only a full buffer is a wait.
        let isSending = sending.isBlocked && stall != .read
        let isReading: Bool
        switch stall {
        // Without a subscriber, and after the end of stream, nothing is read. That is not a pause.
        case .idle: isReading = receiving.hasEnded || readerState != .paused
        case .read: isReading = !receiving.hasEnded && !isReadingPaused
        case .write: isReading = false
        }
        guard isReading || isSending else { return nil }
        return StallClock.Wait(
            transferred: (stall == .write ? 0 : receivedTotal) + (stall == .read ? 0 : sending.sent),
            unacknowledged: isSending ? Int32(clamping: socket.unsentCount) : 0,
            isForReading: isReading,
            isForSending: isSending
        )
    }

    /// Whether this side keeps the peer from sending: the receiver is paused, or there is none.
    private var isReadingPaused: Bool { readerState != .receiving }

    /// Fails the connection at a limit. It resets the peer if bytes are dropped: otherwise the peer would mistake a
    /// part for the whole.
    func timeOut(_ reason: String) {
        let dropped = sending.pendingCount + (extras?.heldCount ?? 0)
        let detail = dropped > 0 ? "; \(dropped) bytes were not sent" : ""
        let error = SocketError(.timedOut, "the connection with \(peer) was closed: \(reason)\(detail)")
        if dropped > 0 { abort(error) } else { fail(error) }
    }
}
