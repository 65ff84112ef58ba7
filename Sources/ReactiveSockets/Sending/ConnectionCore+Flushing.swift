// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// Writing the waiting bytes, and the end of the stream after them.
extension ConnectionCore {
    /// The maximum number of buffers that one call writes.
    private static let piecesPerCall = 64

    func scheduleFlush() {
        let core = UnsafeTransfer(self)
        loop.execute {
            let core = core.value
            if core.sending.beginScheduledFlush() { core.flush() }
        }
    }

    /// Writes the waiting bytes until the send buffer is full.
    func flush() {
        guard isOpen else { return }
        if sending.waiting == .oneBuffer { return sendGathered() }
        sendPending(sending.unblock())
    }

    /// Writes the buffer in the shared slot. No other bytes wait. So if the kernel accepts all of it, nothing is left
    /// to do.
    @inline(__always)
    func sendGathered() {
        guard let piece = takeFromSharedSlot() else { return }
        let outcome = write(piece)
        if case .count(let count) = outcome, count == piece.count {
            sending.kernelAcceptedOneBuffer()
            if backlog == nil, sending.phase == .open { return updateWritability() }
        } else {
            keep(piece, outcome)
        }
        sendPending(false)
    }

    @inline(never)
    private func keep(_ piece: Bytes, _ outcome: SystemSocket.Outcome) {
        neededBacklog.queue.append(piece)
        recordWrite(outcome, of: piece.count)
    }

    @inline(never)
    private func sendPending(_ wasBlocked: Bool) {
        while sending.waiting == .backlog, isOpen, let backlog {
            guard let oldest = backlog.queue.oldest else {
                if sendFile(of: backlog) { continue }
                break
            }
            if !backlog.files.isEmpty {
                recordWrite(writeBeforeFile(oldest), of: oldest.count)
            } else if backlog.queue.isOnePiece {
                recordWrite(write(oldest), of: oldest.count)
            } else {
                let pieces = backlog.queue.pieces(Self.piecesPerCall)
                recordWrite(socket.send(pieces), of: pieces.reduce(0) { $0 + $1.count })
            }
        }
        guard isOpen else { return }
        if sending.isBlocked, !wasBlocked { backlog?.queue.compact() }
        if backlog != nil { notifyWaiters() }
        updateWritability()
        if sending.isDrained {
            if shutDown() { notifyCloseObservers(.completed) }
        } else if sending.isBlocked != wasBlocked {
            updateWatch()
        }
    }

    /// Records the outcome of a call that wrote the beginning of the backlog.
    private func recordWrite(_ outcome: SystemSocket.Outcome, of attempted: Int) {
        switch outcome {
        case .count(let count):
            sending.kernelAccepted(count, of: attempted)
            backlog?.queue.drop(count)
        case .wouldBlock: sending.kernelAccepted(0, of: attempted)
        case .failed(let code): failSending(code)
        }
    }

    private func notifyWaiters() {
        guard let backlog else { return }
        if backlog.nextPosition <= sending.sent {
            for waiter in backlog.takeWaiters(sending.sent) { waiter.end(.completed, false) }
        }
        dropBacklogIfEmpty()
    }

    func dropBacklogIfEmpty() {
        if sending.pendingCount == 0, let backlog, backlog.isEmpty { self.backlog = nil }
    }

    // MARK: Ending

    /// Ends sending when all accepted bytes have been sent, and then calls `end`. Sources that are being sent are
    /// disposed, and their results fail immediately.
    func finishSending(_ end: SendBacklog.SendEnd?) {
        if isOpen, sending.phase == .open, needsInput { return holdEnd(end) }
        var isOver = false
        if isOpen, sending.phase == .open {
            // The output may notify an observer, which must not send any more.
            sending.beginEnding()
            if finishTransforming() {
                if sending.finish() { isOver = shutDown() }
                for send in takeSends() { send.fail(refusalError) }
            }
        }
        if let end { whenSent(upTo: acceptedTotal, isObserver: false, end) }
        // The results of the sends terminate first, because an observer of the close may dispose their observers.
        if isOver { notifyCloseObservers(.completed) }
    }

    /// Ends sending later, when the transformer has received what it needs.
    private func holdEnd(_ end: SendBacklog.SendEnd?) {
        sending.hold()
        for send in takeSends() { send.fail(refusalError) }
        if let end { ensureExtras().waiting.add(end: end) }
    }

    /// Sends the bytes that the transformer still keeps. Returns false if the connection has failed because of that.
    private func finishTransforming() -> Bool {
        guard isTransformed else { return true }
        return transform { transformer, out throws(SocketError) in try transformer.finishSending(&out) } == nil
    }

    /// Sends the end of the stream. Returns whether the descriptor is now closed and the caller has to call
    /// `notifyCloseObservers`.
    private func shutDown() -> Bool {
        guard isOpen, sending.shutDown() else { return false }
        // This is necessary even if the close follows immediately. If another process has the descriptor too, the close
        // alone does not end the stream.
        socket.shutdownWriting()
        startDiscarding()
        return closeDescriptorIfDone()
    }
}
