// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The graceful close (rules N14, N24). A peer that keeps reading receives all bytes that were sent, even if it keeps
/// sending too.
///
/// If a socket is closed with unread data, or if data arrives after the close, the kernel resets the connection and the
/// peer loses the last bytes. So the connection first ends sending. Then it discards received bytes until the peer ends
/// its stream, within limits.
extension ConnectionCore {
    private static let patience = Duration.seconds(2)

    func close(within limit: Duration?) {
        guard isOpen, !failRefused() else { return }
        if phase.beginClosing() { beginClosing() }
        if let limit, isOpen { endClosing(within: limit) }
    }

    private func beginClosing() {
        let error = SocketError(.closed, "the connection with \(peer) was closed on this side")
        ensureExtras().ensureEnding().refusal = error
        let reader = takeReader()
        dropUndelivered()
        finishSending(nil)
        if sending.hasFinished { startDiscarding() } else { watchProgress() }
        if let reader { deliverTermination(.failed(error), to: reader) }
        notifyStreamEndObservers()
    }

    /// Starts to discard received bytes if the connection is closing and has ended sending, and the peer has not ended
    /// its stream.
    func startDiscarding() {
        guard phase.canDiscard, sending.hasFinished, !receiving.hasEnded else { return }
        let core = UnsafeTransfer(self)
        let timer = loop.schedule(after: Self.patience) {
            if core.value.isOpen { core.value.closeWithoutFailure() }
        }
        phase.beginDiscarding(timer)?.dispose()
        updateWatch()
    }

    /// Reads a chunk and discards it.
    func discard() {
        var wouldBlock = false
        let count = SlabCache.withCurrent { cache in
            unsafe cache.read(atMost: SlabCache.slabSize) { memory in
                switch unsafe socket.receive(memory) {
                case .count(let count): return count
                case .wouldBlock: wouldBlock = true
                case .failed: break
                }
                return -1
            }.result
        }
        if wouldBlock { return }
        let isTooMuch = phase.discard(max(0, count))
        if count <= 0 || isTooMuch { closeWithoutFailure() }
    }

    // MARK: Peers that accept nothing

    /// While bytes wait, checks at intervals whether the peer accepts any.
    private func watchProgress() {
        guard isOpen, !sending.hasFinished else { return }
        let core = UnsafeTransfer(self)
        let period = Self.patience / StallDetector.checksPerTimeout
        let timer = loop.schedule(at: loop.now + period, repeating: .fixedDelay(period), options: TimerOptions()) {
            core.value.checkProgress()
        }
        phase.awaitSending(unacknowledgedCount, timer)
    }

    /// The number of bytes that the peer's system has not acknowledged. It includes the kernel's send buffer. The
    /// kernel accepts more bytes only when a large part of that buffer is free, which may take minutes with a slow
    /// peer.
    private var unacknowledgedCount: Int { sending.pendingCount + socket.unsentCount }

    private func checkProgress() {
        guard isOpen else { return }
        if phase.check(unacknowledgedCount) { giveUp("the peer accepted nothing for \(Self.patience)") }
    }

    /// Sets the time limit, unless an earlier one is set.
    private func endClosing(within limit: Duration) {
        let deadline = loop.now + max(limit, .zero)
        guard phase.needsDeadline(at: deadline) else { return }
        let core = UnsafeTransfer(self)
        let timer = loop.schedule(at: deadline, options: TimerOptions()) { core.value.runOutOfTime(limit) }
        phase.setDeadline(deadline, timer)?.dispose()
    }

    private func runOutOfTime(_ limit: Duration) {
        guard isOpen else { return }
        if sending.hasFinished { closeWithoutFailure() } else { giveUp("the limit of \(limit) has passed") }
    }

    private func giveUp(_ reason: String) {
        abort(
            SocketError(
                .timedOut,
                "the connection with \(peer) was reset during its close: \(reason); "
                    + "\(sending.pendingCount) bytes were not sent"
            )
        )
    }
}
