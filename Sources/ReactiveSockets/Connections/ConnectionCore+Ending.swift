import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The end of a connection: both directions have ended, or one has failed.
extension ConnectionCore {
    /// The connection fails: the peer, the system or a time limit is the cause.
    func fail(_ error: SocketError) {
        terminate(error, resettingPeer: false)
    }

    /// The same, and the peer gets a reset.
    func abort(_ error: SocketError) {
        terminate(error, resettingPeer: true)
    }

    /// Closes the descriptor if both directions have ended.
    func closeIfDone() {
        if releaseIfDone() { notifyCloseObservers(.completed) }
    }

    /// The same for a caller that has other observers to notify first. Returns whether the closeObservers have to be notified.
    func releaseIfDone() -> Bool {
        guard isOpen, receiving.hasEnded, sending.hasFinished else {
            updateWatch()
            return false
        }
        release(resettingPeer: false)
        return true
    }

    /// Observers are notified when the state is consistent: they may call anything.
    private func terminate(_ error: SocketError, resettingPeer: Bool) {
        guard isOpen else { return }
        let extras = neededExtras
        if extras.failure == nil { extras.failure = error }
        extras.closeError = error
        release(resettingPeer: resettingPeer)
        let (reader, backlog) = (takeReader(), backlog)
        let sends = takeSends()
        let (tickets, heldCompletions, undelivered) = (extras.heldTickets, extras.heldCompletions, extras.undelivered)
        let piece = takeGathered()
        self.backlog = nil
        extras.heldTickets = []
        extras.heldCompletions = []
        for ticket in tickets { ticket.state = .refused(error) }
        extras.droppedCount = sending.drop()
        extras.undelivered = FIFO()
        if let reader { deliverTermination(.failed(error), to: reader) }
        for waiter in backlog?.takeWaiters() ?? [] { waiter.end(.failed(error)) }
        for end in heldCompletions { end(.failed(error)) }
        for send in sends { send.fail(error) }
        for pause in backlog?.takePauses() ?? [] { pause.dispose() }
        notifyCloseObservers(.failed(error))
        withExtendedLifetime((piece, undelivered)) {}
    }

    /// The loop has been disposed. Observers are released and not notified.
    func abandon() {
        guard isOpen else { return }
        release(resettingPeer: false)
        // They are released when the state is consistent: releasing them may run other code.
        let sends = takeSends()
        let left = (takeReader(), backlog, takeGathered(), extras, firstCloseObserver)
        backlog = nil
        extras = nil
        firstCloseObserver = nil
        // A reader's own subscription retains it as well, and a signal that is being sent is retained by its source.
        left.0?.subscription.dispose()
        for send in sends { send.dispose() }
    }

    /// Closes the descriptor where that is no failure. Only closeObservers and observers of `isWritable` are left to notify.
    func leave() {
        release(resettingPeer: false)
        notifyCloseObservers(.completed)
    }

    private func release(resettingPeer: Bool) {
        let timers = phase.end()
        watch?.dispose()
        watch = nil
        for timer in timers { timer.dispose() }
        if let extras {
            extras.timing?.stop()
            extras.timing = nil
            extras.file?.remove()
        }
        if resettingPeer { socket.closeWithReset() } else { socket.close() }
    }
}
