import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// Writing the bytes that wait, and the end of the stream behind them.
extension ConnectionCore {
    /// One call writes at most this many buffers.
    private static let piecesPerCall = 64

    func scheduleFlush() {
        let core = UnsafeTransfer(self)
        loop.execute {
            let core = core.value
            if core.sending.beginScheduledFlush() { core.flush() }
        }
    }

    /// Writes the waiting bytes, as many as the kernel takes.
    func flush() {
        guard isOpen else { return }
        if sending.waiting == .oneBuffer { return sendGathered() }
        sendPending(sending.unblock())
    }

    /// Writes the one buffer that a delivery has sent. Nothing else waits: if the kernel takes all of it, nothing else is to be done.
    @inline(__always)
    func sendGathered() {
        guard let piece = takeGathered() else { return }
        let outcome = write(piece)
        if case .count(let count) = outcome, count == piece.count {
            sending.tookOneBuffer()
            if backlog == nil, sending.phase == .open { return updateWritability() }
        } else {
            keep(piece, outcome)
        }
        sendPending(false)
    }

    @inline(never)
    private func keep(_ piece: Bytes, _ outcome: SystemSocket.Outcome) {
        neededBacklog.pending.append(piece)
        took(outcome, of: piece.count)
    }

    @inline(never)
    private func sendPending(_ wasBlocked: Bool) {
        while sending.waiting == .backlog, isOpen, let backlog, let oldest = backlog.pending.oldest {
            if backlog.pending.isOnePiece {
                took(write(oldest), of: oldest.count)
            } else {
                let pieces = backlog.pending.pieces(Self.piecesPerCall)
                took(socket.send(pieces), of: pieces.reduce(0) { $0 + $1.count })
            }
        }
        guard isOpen else { return }
        if sending.isBlocked, !wasBlocked { backlog?.pending.compact() }
        if backlog != nil { notifyWaiters() }
        updateWritability()
        if sending.isDrained {
            if shutDown() { notifyCloseObservers(.completed) }
        } else if sending.isBlocked != wasBlocked {
            updateWatch()
        }
    }

    /// Reports the outcome of a call that wrote the beginning of the backlog.
    private func took(_ outcome: SystemSocket.Outcome, of attempted: Int) {
        switch outcome {
        case .count(let count):
            sending.took(count, of: attempted)
            backlog?.pending.drop(count)
        case .wouldBlock: sending.took(0, of: attempted)
        case .failed(let code): fail(.system("sending to \(peer)", code))
        }
    }

    private func notifyWaiters() {
        guard let backlog else { return }
        if backlog.nextPosition <= sending.sent {
            for waiter in backlog.takeWaiters(sending.sent) { waiter.end(.completed) }
        }
        dropBacklogIfEmpty()
    }

    func dropBacklogIfEmpty() {
        if sending.pending == 0, let backlog, backlog.isEmpty { self.backlog = nil }
    }

    // MARK: Ending

    /// Ends sending when all accepted bytes have been sent, and calls `end` then. Signals that are being sent fail at once.
    func finishSending(_ end: (@Sendable (Termination<SocketError>) -> Void)?) {
        var isOver = false
        if isOpen, sending.phase == .open, finishTransforming() {
            if sending.finish() { isOver = shutDown() }
            for send in takeSends() { send.fail(refusalError) }
        }
        if let end { wait(for: acceptedTotal, end) }
        // After the results of the sends: an observer of those may be disposed when the descriptor has been closed.
        if isOver { notifyCloseObservers(.completed) }
    }

    /// The transformer gives the bytes that it holds. Returns false if that has failed the connection.
    private func finishTransforming() -> Bool {
        guard isTransformed else { return true }
        return transform { transformer, out throws(SocketError) in try transformer.finishSending(&out) } == nil
    }

    /// Sends the end of the stream. Returns whether that has closed the descriptor: the closeObservers have to be notified.
    private func shutDown() -> Bool {
        guard isOpen, sending.shutDown() else { return false }
        // Also if the close follows at once: if another process has the descriptor too, the close sends no end of stream.
        socket.shutdownWriting()
        startDiscarding()
        return releaseIfDone()
    }
}
