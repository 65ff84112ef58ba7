import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The end of a connection: both directions have ended, or one has failed.
extension ConnectionCore {
    /// The connection fails: the peer, the system or a time limit is the cause.
    func fail(_ error: SocketError) {
        end(error, abruptly: false)
    }

    /// The same, and the peer gets a reset.
    func abort(_ error: SocketError) {
        end(error, abruptly: true)
    }

    /// Closes the descriptor if both directions have ended.
    func closeIfDone() {
        if releaseIfDone() { tellEnders(.completed) }
    }

    /// The same for a caller that has other observers to notify first. Returns whether the enders have to be notified.
    func releaseIfDone() -> Bool {
        guard isOpen, receiving.hasEnded, sending.hasFinished else {
            updateWatch()
            return false
        }
        release(abruptly: false)
        return true
    }

    /// Observers are notified when the state is consistent: they may call anything.
    private func end(_ error: SocketError, abruptly: Bool) {
        guard isOpen else { return }
        let extras = neededExtras
        if extras.failure == nil { extras.failure = error }
        extras.breakOff = error
        release(abruptly: abruptly)
        let (reception, backlog) = (takeReception(), backlog)
        let sends = takeSends()
        let (tickets, heldEnds, undelivered) = (extras.heldTickets, extras.heldEnds, extras.undelivered)
        let piece = takeGathered()
        self.backlog = nil
        extras.heldTickets = []
        extras.heldEnds = []
        for ticket in tickets { ticket.state = .refused(error) }
        extras.droppedCount = sending.drop()
        extras.undelivered = FIFO()
        if let reception { tellEnd(.failed(error), to: reception) }
        for waiter in backlog?.takeWaiters() ?? [] { waiter.end(.failed(error)) }
        for end in heldEnds { end(.failed(error)) }
        for send in sends { send.breakOff(error) }
        for hold in backlog?.takeHolds() ?? [] { hold.dispose() }
        tellEnders(.failed(error))
        withExtendedLifetime((piece, undelivered)) {}
    }

    /// The loop has been disposed. Observers are released and not notified.
    func abandon() {
        guard isOpen else { return }
        release(abruptly: false)
        // They are released when the state is consistent: releasing them may run other code.
        let sends = takeSends()
        let left = (takeReception(), backlog, takeGathered(), extras, firstEnder)
        backlog = nil
        extras = nil
        firstEnder = nil
        // A reader's own subscription retains it as well, and a signal that is being sent is retained by its source.
        left.0?.subscription.dispose()
        for send in sends { send.dispose() }
    }

    /// Closes the descriptor where that is no failure. Only enders and observers of `isWritable` are left to notify.
    func leave() {
        release(abruptly: false)
        tellEnders(.completed)
    }

    private func release(abruptly: Bool) {
        let timers = phase.end()
        watch?.dispose()
        watch = nil
        for timer in timers { timer.dispose() }
        if let extras {
            extras.timing?.stop()
            extras.timing = nil
            extras.file?.remove()
        }
        if abruptly { socket.closeAbruptly() } else { socket.close() }
    }
}
