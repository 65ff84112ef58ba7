// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The timer that looks for an end of stream behind unread bytes, and measures how long a connection outlives the end.
final class HalfClosedCheck {
    var clock: StallClock
    var timer: (any Disposable)?

    init(_ clock: StallClock) { self.clock = clock }

    func stop() { timer?.dispose() }
}

/// The lifetime after the peer's end of stream (`ConnectionTimeouts.halfClosed`, Decision 0067).
///
/// No event reports an end behind unread bytes: the descriptor is readable because of the bytes, so the loop must
/// not watch it. A timer therefore asks the system. It exists after the end of the stream, while bytes wait unread, and if
/// the loop has refused the watch.
extension ConnectionCore {
    /// Starts the timer, if there is none. Call it when the stream has ended, and when the connection stops reading although
    /// input waits.
    func measureHalfClosed() {
        guard isOpen, !phase.isClosing, extras?.halfClosed == nil, let limit = halfClosedLimit else { return }
        let check = HalfClosedCheck(StallClock(hasStreamEnded ? movement : nil))
        ensureExtras().halfClosed = check
        // Weak, because a timer must not keep the connection open.
        let core = UnsafeTransfer(Weak(self))
        let period = limit / StallClock.checksPerTimeout
        let options = TimerOptions(keepsLoopAlive: false)
        check.timer = loop.schedule(at: loop.now + period, repeating: .fixedDelay(period), options: options) {
            core.value.object?.checkHalfClosed(limit)
        }
    }

    func endHalfClosedCheck() {
        extras?.halfClosed?.stop()
        extras?.halfClosed = nil
    }

    /// Whether the peer has ended its stream, even if unread bytes precede the end.
    var hasPeerEnded: Bool { hasStreamEnded || socket.hasPeerEnded }

    var hasStreamEnded: Bool { receiving.stream == .ended || receiving.stream == .endHeld }

    private var halfClosedLimit: Duration? {
        guard let timing = extras?.timing else { return ConnectionTimeouts.defaultHalfClosed }
        return timing.halfClosed
    }

    /// The bytes that have moved so far. `nil` after the connection has ended.
    private var openMovement: StallClock.Wait? { isOpen ? movement : nil }

    private var movement: StallClock.Wait {
        StallClock.Wait(
            transferred: receivedTotal + sending.sent,
            unacknowledged: Int32(clamping: socket.unsentCount)
        )
    }

    /// In a pipe, bytes that move on the other connection count too: a slow peer there may need the bytes of this one.
    private func checkHalfClosed(_ limit: Duration) {
        guard let partner = extras?.partner?.object else { return checkHalfClosed(limit, nil) }
        if partner.loop === loop { return checkHalfClosed(limit, partner.core.value.openMovement) }
        let (core, own) = (UnsafeTransfer(Weak(self)), loop)
        partner.loop.execute {
            let movement = partner.core.value.openMovement
            own.execute { core.value.object?.checkHalfClosed(limit, movement) }
        }
    }

    private func checkHalfClosed(_ limit: Duration, _ partner: StallClock.Wait?) {
        if isOpen, isWatchRefused, isPeeking { peek() }
        guard isOpen, let check = extras?.halfClosed else { return }
        let hasEnded = hasPeerEnded
        // A close has its own limits. A connection that reads notices the end itself.
        if phase.isClosing || !hasEnded && !isInputWaiting { return endHalfClosedCheck() }
        guard check.clock.check(hasEnded && !delaysPeer ? movement.adding(partner) : nil) else { return }
        timeOut("the peer has ended its stream, and no byte has moved for \(limit)")
    }

    /// Whether bytes may wait that nothing receives now.
    var isInputWaiting: Bool {
        if isWatchRefused || isSuspended || hasUnreadReplies { return true }
        return receiving.stream == .unread || holdsTransformed || readerState == .paused
    }

    /// Whether no watch looks for the end, because the loop has refused it.
    private var isWatchRefused: Bool { watch == nil && watchKind == .refused }

    /// Whether this side is the reason that no byte moves: it has paused the receiver, and still wants the bytes of the peer.
    /// A receiver whose output is sent back to the peer needs a peer that reads. `share` hides where the output goes. Then a
    /// connection that sends any source counts as one that answers.
    private var delaysPeer: Bool {
        guard let subscription, readerState == .paused, !sending.isBlocked, !answersPeer else { return false }
        if let source = subscription.origin as? SourceSubscription { return !isSending(source) }
        return !subscription.origin.isShared || !isSendingSource
    }
}

extension Connection {
    /// Whether the peer has ended its stream or the connection has failed, even if unread bytes precede that. True after the
    /// connection has ended. Call it on the loop.
    package var hasPeerEnded: Bool { !core.value.isOpen || core.value.hasPeerEnded }

    /// Whether the subscriber of `received` answers the peer, so that `ConnectionTimeouts.halfClosed` counts during its pauses.
    /// Only a subscriber that is not a source of `send(from:)` of this connection sets it. Use it on the loop.
    package var answersPeer: Bool {
        get { core.value.answersPeer }
        set { core.value.answersPeer = newValue }
    }

    /// Restarts `ConnectionTimeouts.halfClosed`, because a protocol has delivered a part of the bytes that it has received. Use
    /// it on the loop.
    package func didDeliver() { core.value.extras?.halfClosed?.clock.restart() }

    /// Lets the bytes that move on the other connection of a pipe count for `ConnectionTimeouts.halfClosed` of this one. The
    /// pipe retains both.
    func join(_ partner: Connection) {
        let (core, partner) = (core, UnsafeTransfer(Weak(partner)))
        loop.runOrExecute { core.value.ensureExtras().partner = partner.value }
    }
}
