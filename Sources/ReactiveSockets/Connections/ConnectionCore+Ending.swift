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
        ending.isFailureObserved = isObserved(by: reader, waiters, sends + (source.map { [$0] } ?? []))
        let piece = takeFromSharedSlot()
        self.backlog = nil
        let (tickets, heldCompletions) = extras.waiting.takeSends()
        let heldEnds = extras.waiting.takeEnds()
        for ticket in tickets { ticket.state = .refused(error) }
        ending.droppedCount = sending.drop()
        extras.undelivered = BytesQueue()
        if let reader { deliverTermination(.failed(error), to: reader) }
        for waiter in waiters { waiter.end(.failed(error), claimFailure()) }
        for end in heldCompletions { end(.failed(error)) }
        for end in heldEnds { end(.failed(error), claimFailure()) }
        for send in sends { send.fail(error, isObserved: claimFailure()) }
        for pause in backlog?.takePauses() ?? [] { pause.dispose() }
        notifyCloseObservers(.failed(error))
        withExtendedLifetime((piece, undelivered)) {}
        // A reader has received the failure, or the result of the `send(from:)` that subscribed it reports the failure.
        // The result of `source` reports it too.
        if reader == nil, source == nil, !claimFailure() { UnhandledFailure.report(error, of: "Connection") }
    }

    /// Whether something receives the failure that ends the connection. The discarded results of sends then report
    /// nothing.
    ///
    /// A receiver that a `send(from:)` subscribed does not count: it passes the failure on to that result.
    private func isObserved(
        by reader: Reader?,
        _ waiters: [SendBacklog.Waiter],
        _ sends: [SourceSubscription]
    ) -> Bool {
        if let reader, !(reader.subscription.origin is SourceSubscription) { return true }
        if firstCloseObserver?.isDisposed == false { return true }
        if extras?.closeObservers.contains(where: { !$0.isDisposed }) == true { return true }
        if extras?.waiting.hasCompletions == true { return true }
        return waiters.contains { $0.isObserver } || sends.contains { $0.isObserved }
    }

    /// Returns whether something has received the failure that ended the connection. If it returns false, the caller
    /// reports the failure, and later calls return true.
    func claimFailure() -> Bool {
        let ending = ensureExtras().ensureEnding()
        defer { ending.isFailureObserved = true }
        return ending.isFailureObserved
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
