// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The ways in which a connection ends: both directions have ended, or it fails.
extension ConnectionCore {
    /// Fails the connection. The cause is the peer, the system or a time limit.
    func fail(_ error: SocketError) {
        terminate(error, resettingPeer: false)
    }

    /// Fails the connection, and resets the peer. `source` is the send whose failure is the cause, if there is one.
    func abort(_ error: SocketError, from source: SourceSubscription? = nil) {
        terminate(error, resettingPeer: true, from: source)
    }

    /// Closes the descriptor if both directions have ended.
    func closeIfDone() {
        if closeDescriptorIfDone() { notifyCloseObservers(.completed) }
    }

    /// Like `closeIfDone`, for a caller that notifies other observers first. If it returns true, the caller must call
    /// `notifyCloseObservers`.
    func closeDescriptorIfDone() -> Bool {
        // Without a reader nothing else would complete the end that a transformer has found.
        if sending.hasFinished, subscription == nil, receiving.stream == .endHeld, !holdsTransformed {
            receiving.reachEnd()
        }
        guard isOpen, receiving.hasEnded, sending.hasFinished else {
            updateWatch()
            return false
        }
        closeDescriptor(resettingPeer: false)
        return true
    }

    /// The state is final before the observers are notified, because they may call any member.
    private func terminate(_ error: SocketError, resettingPeer: Bool, from source: SourceSubscription? = nil) {
        guard isOpen else { return }
        let extras = ensureExtras()
        let ending = extras.ensureEnding()
        if ending.refusal == nil { ending.refusal = error }
        ending.closeError = error
        closeDescriptor(resettingPeer: resettingPeer)
        let (reader, backlog) = (takeReader(), backlog)
        let (sends, waiters) = (takeSends(), backlog?.takeWaiters() ?? [])
        let undelivered = extras.undelivered
        let hasReader = reader?.subscription.isEnding == false
        ending.isReportSettled = isObserved(by: reader, waiters, sends + (source.map { [$0] } ?? []))
        let bytes = takeFromSharedSlot()
        self.backlog = nil
        let (tickets, heldObservers) = extras.waiting.takeSends()
        let heldEnds = extras.waiting.takeEnds()
        for ticket in tickets { ticket.state = .refused(error) }
        ending.droppedCount = sending.drop()
        extras.undelivered = BytesQueue()
        if let reader { deliverTermination(.failed(error), to: reader) }
        // If nothing receives the failure, one of these reports it, in this order: a result that may have been discarded,
        // when it is released; the `send(from:)` to which the reader belongs; the `send(from:)` that caused the end
        // (`source`); this call.
        for waiter in waiters { waiter.end(.failed(error), waiter.subscription != nil || !claimReport()) }
        for observer in heldObservers { observer.end(.failed(error)) }
        for end in heldEnds { end(.failed(error), !claimReport()) }
        for send in sends { send.fail(error, isHandledElsewhere: !claimReport()) }
        for pause in backlog?.takePauses() ?? [] { pause.dispose() }
        notifyCloseObservers(.failed(error))
        withExtendedLifetime((bytes, undelivered)) {}
        if !hasReader, source == nil, claimReport() { UnhandledFailure.report(error, of: "Connection") }
    }

    /// Whether something receives the failure that ends the connection. The discarded results of sends then report
    /// nothing.
    ///
    /// These receive it, unless their subscription has been disposed:
    /// - the receiver, unless a `send(from:)` subscribed it: such a receiver passes the failure on to that result,
    /// - subscribers of `ended` (a `Server` is one),
    /// - subscribers of the result of a `send(_:)` that waits,
    /// - subscribers of the result of a `send(from:)` under way.
    private func isObserved(
        by reader: Reader?,
        _ waiters: [SendBacklog.Waiter],
        _ sends: [SourceSubscription]
    ) -> Bool {
        // A disposed reader receives nothing. If another thread has disposed it, it is removed later.
        if let subscription = reader?.subscription, !subscription.isEnding, !(subscription.origin is SourceSubscription)
        {
            return true
        }
        if firstCloseObserver?.isDisposed == false { return true }
        if extras?.closeObservers.contains(where: { !$0.isDisposed }) == true { return true }
        if extras?.waiting.isObserved == true { return true }
        return waiters.contains { $0.subscription?.isDisposed == false } || sends.contains { $0.isObserved }
    }

    /// Returns whether the caller has to report the failure that ended the connection, because nothing has received it.
    /// Only the first call may return true.
    func claimReport() -> Bool {
        let ending = ensureExtras().ensureEnding()
        defer { ending.isReportSettled = true }
        return !ending.isReportSettled
    }

    /// Closes the descriptor and releases all observers without notifying them, because the loop has been disposed.
    func abandon() {
        guard isOpen else { return }
        closeDescriptor(resettingPeer: false)
        // Released last, because a release may run user code (law 3).
        let sends = takeSends()
        let left = (takeReader(), backlog, takeFromSharedSlot(), extras, firstCloseObserver)
        backlog = nil
        extras = nil
        firstCloseObserver = nil
        // Subscriptions and sources retain these objects too, and must be cancelled.
        left.0?.subscription.dispose()
        for send in sends { send.abandon() }
    }

    /// Closes the descriptor without a failure. Only observers of `ended`, `draining` and `isWritable` are left to
    /// notify.
    func closeWithoutFailure() {
        closeDescriptor(resettingPeer: false)
        notifyCloseObservers(.completed)
    }

    /// Closes the descriptor, and disposes the watch and all timers. It does not notify observers.
    private func closeDescriptor(resettingPeer: Bool) {
        let timers = phase.end()
        endWatch()
        for timer in timers { timer.dispose() }
        if let extras {
            extras.waiting.takeTimer()?.dispose()
            extras.endTransforming()
            extras.timing?.stop()
            extras.timing = nil
            endHalfClosedCheck()
            extras.file?.remove()
        }
        if resettingPeer { socket.closeWithReset() } else { socket.close() }
    }
}

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
        guard let closing = phase.closing, !closing.isDiscarding else { return }
        guard sending.hasFinished, !receiving.hasEnded else { return }
        let core = UnsafeTransfer(self)
        let timer = loop.schedule(after: Self.patience) {
            if core.value.isOpen { core.value.closeWithoutFailure() }
        }
        closing.beginDiscarding(timer)?.dispose()
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
        guard let closing = phase.closing else { return assertionFailure("bytes to discard in \(phase)") }
        let isTooMuch = closing.discard(max(0, count))
        if count <= 0 || isTooMuch { closeWithoutFailure() }
    }

    // MARK: Peers that accept nothing

    /// While bytes wait, checks at intervals whether the peer accepts any.
    private func watchProgress() {
        guard let closing = phase.closing, !sending.hasFinished else { return }
        let core = UnsafeTransfer(self)
        let timer = loop.scheduleChecks(within: Self.patience, keepsLoopAlive: true) { core.value.checkProgress() }
        closing.awaitSending(unacknowledgedCount, timer)
    }

    /// The number of bytes that the peer's system has not acknowledged. It includes the kernel's send buffer. The
    /// kernel accepts more bytes only when a large part of that buffer is free, which may take minutes with a slow
    /// peer.
    fileprivate var unacknowledgedCount: Int { sending.pendingCount + socket.unsentCount }

    private func checkProgress() {
        guard phase.closing?.check(unacknowledgedCount) == true else { return }
        giveUp("the peer accepted nothing for \(Self.patience)")
    }

    /// Sets the time limit, unless an earlier one is set.
    private func endClosing(within limit: Duration) {
        let deadline = loop.now + max(limit, .zero)
        guard let closing = phase.closing, closing.needsDeadline(at: deadline) else { return }
        let core = UnsafeTransfer(self)
        let timer = loop.schedule(at: deadline, options: TimerOptions()) { core.value.runOutOfTime(limit) }
        closing.setDeadline(deadline, timer)?.dispose()
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

extension Connection {
    /// The number of bytes that were sent so far, with those that wait. Call it on the loop.
    package var sentCount: Int { core.value.sending.accepted }

    /// The number of these bytes that the peer's system has acknowledged. It costs a system call. Call it on the loop.
    package var acknowledgedCount: Int { sentCount - core.value.unacknowledgedCount }
}

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
        timing[stall] = PeerClock(wait(for: stall))
        let core = UnsafeTransfer(Weak(self))
        timing.add(loop.scheduleChecks(within: limit) { core.value.object?.check(stall, limit) })
    }

    private func check(_ stall: ConnectionTiming.Stall, _ limit: Duration) {
        guard let timing = extras?.timing, timing[stall].hasReachedLimit(wait(for: stall)) else { return }
        switch stall {
        case .idle: timeOut("it was idle for \(limit)")
        case .read: timeOut("the peer sent nothing for \(limit)")
        case .write: timeOut("the peer accepted nothing for \(limit)")
        }
    }

    /// Returns the connection's wait for its peer. `nil` means that it does not wait.
    private func wait(for stall: ConnectionTiming.Stall) -> PeerWait? {
        // While the send buffer has room, a send completes without the peer. So only a full buffer is a wait.
        let isSending = sending.isBlocked && stall != .read
        let isReading: Bool
        switch stall {
        // Without a subscriber, and after the end of stream, nothing is read. That is not a pause. A protocol that works on
        // its own does not wait for the peer either.
        case .idle: isReading = receiving.hasEnded || awaitsPeer && readerState != .paused
        case .read: isReading = awaitsPeer && !receiving.hasEnded && readerState == .receiving
        case .write: isReading = false
        }
        guard isReading || isSending else { return nil }
        return PeerWait(
            transferred: (stall == .write ? 0 : receivedTotal) + (stall == .read ? 0 : sending.sent),
            unacknowledged: isSending ? Int32(clamping: socket.unsentCount) : 0,
            isForReading: isReading,
            isForSending: isSending
        )
    }

    /// Fails the connection at a limit. It resets the peer if bytes are dropped: otherwise the peer would mistake a
    /// part for the whole.
    func timeOut(_ reason: String) {
        let dropped = sending.pendingCount + (extras?.heldCount ?? 0)
        let detail = dropped > 0 ? "; \(dropped) bytes were not sent" : ""
        let error = SocketError(.timedOut, "the connection with \(peer) was closed: \(reason)\(detail)")
        if dropped > 0 { abort(error) } else { fail(error) }
    }
}

/// Bytes that the kernel refuses, because the peer has reset the connection or ended it completely.
///
/// The peer may have sent something before: a server that rejects an upload responds, and then closes. These bytes are
/// still in the kernel. So the reader receives them, and then the connection fails.
extension ConnectionCore {
    /// Fails the connection because of a system call that could not send: now, or after the reader has received what has
    /// arrived.
    ///
    /// A paused reader does not delay the failure. It is perhaps paused until bytes have been sent, which will not happen.
    @inline(never)
    func failSending(_ code: Int32) {
        let error = SocketError.system("cannot send to \(peer)", code)
        let accepts = subscription?.acceptsValues == true && receiving.stream == .open
        guard accepts, !needsInput, !phase.isClosing else { return fail(error) }
        guard sending.refuse() else { return }
        let ending = ensureExtras().ensureEnding()
        ending.sendError = error
        // A peer that refuses bytes can still send, without end (`SHUT_RD` of a Unix socket).
        ending.lastReceived = receivedTotal + socket.readableCount
        backlog?.dropBytes()
        // Other events may keep the loop busy, but no event reports that nothing has arrived.
        receiveRest()
    }

    /// Lets the reader receive one chunk in each turn, while it accepts them, up to what had arrived when the send failed.
    private func receiveRest() {
        let core = UnsafeTransfer(self)
        loop.execute {
            let core = core.value
            guard core.isOpen else { return }
            if core.subscription?.acceptsValues != true || core.receiving.stream != .open {
                core.failRefused()
            } else if core.receivedTotal >= core.extras?.ending?.lastReceived ?? 0, !core.holdsTransformed,
                !core.isSuspended
            {
                core.failRefused()
            } else {
                // A suspended transformer continues in a later turn (Decision 0044).
                if !core.isSuspended { core.readChunk() }
                core.receiveRest()
            }
        }
    }

    /// Fails the connection if the kernel has refused bytes. Returns whether it has.
    @discardableResult
    func failRefused() -> Bool {
        guard sending.isRefused, let error = extras?.ending?.sendError else { return false }
        fail(error)
        return true
    }
}
