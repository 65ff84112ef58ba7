import ReactiveCore
import ReactiveSignals
import ReactiveSupport

extension ConnectionCore {
    func send(_ bytes: Bytes, _ ticket: SendTicket) {
        if let refusal = accept(bytes) {
            ticket.state = .refused(refusal)
        } else if isTransformed, let extras, let transformer = extras.transformer, transformer.heldCount > 0 {
            ticket.state = .held
            extras.heldTickets.append(ticket)
        } else {
            ticket.state = .accepted(position: acceptedTotal)
        }
    }

    /// Tells an observer of a `send` how it went, now or when it is known.
    func tell(_ emitter: Emitter<Never, SocketError>, about ticket: SendTicket) {
        switch ticket.state {
        case .waitingForLoop:
            // The bytes come from another thread and are still in the loop's queue: behind them.
            let (core, ticket) = (Confined(self), Confined(ticket))
            loop.execute { core.value.tell(emitter, about: ticket.value) }
        case .held: neededExtras.heldEnds.append { emitter.send(termination: $0) }
        case .refused(let error): emitter.fail(error)
        case .accepted(let position): wait(for: position) { emitter.send(termination: $0) }
        }
    }

    func wait(for position: Int, _ end: @escaping @Sendable (Termination<SocketError>) -> Void) {
        if sentTotal >= position { return end(.completed) }
        if !isOpen { return end(.failed(closedError)) }
        neededBacklog.add(SendBacklog.Waiter(position: position, end: end))
    }

    /// Sends, by way of the transformer where there is one. Returns why nothing was accepted, if so.
    @inline(__always)
    func accept(_ bytes: Bytes) -> SocketError? { gathersAlone(bytes) ? nil : acceptAnyhow(bytes) }

    @inline(never)
    private func acceptAnyhow(_ bytes: Bytes) -> SocketError? {
        guard isOpen, !isFinishing else { return closedError }
        if bytes.isEmpty { return nil }
        guard isTransformed else { return enqueue(bytes) }
        return transform { transformer, out throws(SocketError) in try transformer.send(bytes, &out) }
    }

    /// Sends as much as the kernel takes now, and keeps the rest. Returns why it broke off, if so.
    ///
    /// What is small and not the turn's first is gathered, and goes out with the rest in one call.
    func enqueue(_ bytes: Bytes) -> SocketError? {
        guard isOpen else { return closedError }
        if isBlocked {
            // A few bytes must not keep a large slab for a slow peer.
            neededBacklog.pending.append(bytes.compacted())
            pendingCount += bytes.count
            updateWritability()
            return nil
        }
        if pendingCount > 0 || gathers(bytes) {
            gather(bytes)
            if pendingCount >= place.gatheredAtMost { flush() } else if !isGathering { flushSoon() }
            return isOpen ? nil : closedError
        }
        switch write(bytes) {
        case .count(let count):
            sentTotal += count
            if count == bytes.count { return nil }
            block(keeping: bytes[bytes.startIndex + count..<bytes.endIndex])
        case .wouldBlock: block(keeping: bytes)
        case .failed(let code):
            let error = SocketError.system("sending to \(peer)", code)
            // Accepted, and never to be sent.
            pendingCount += bytes.count
            fail(error)
            return error
        }
        return nil
    }

    /// As many pieces go into one call.
    private static let piecesPerCall = 64

    private func gathers(_ bytes: Bytes) -> Bool {
        guard bytes.count < place.gatheredAtMost else { return false }
        if isGathering { return true }
        // Two turns that are told apart by more than this keeps gather for nothing, which is no harm.
        let turn = UInt32(truncatingIfNeeded: loop.turn)
        defer { lastTurn = turn }
        return lastTurn == turn
    }

    /// What a chunk is answered by, nearly always: one small piece, sent while it is delivered, by whom nothing waits. It goes out behind
    /// the delivery. False where it is not that.
    @inline(__always)
    private func gathersAlone(_ bytes: Bytes) -> Bool {
        guard isOpen, !isFinishing, !isTransformed, !bytes.isEmpty, bytes.count < place.gatheredAtMost else {
            return false
        }
        return isFirstGathered(bytes)
    }

    @inline(__always)
    private func isFirstGathered(_ bytes: Bytes) -> Bool {
        // Somebody else has the place where a delivery is inside of another's, as a host's nested run can have it.
        guard isGathering, pendingCount == 0, place.gathering.value.piece == nil else { return false }
        place.gathering.value.piece = bytes
        hasGathered = true
        pendingCount = bytes.count
        return true
    }

    func gather(_ bytes: Bytes) {
        if isFirstGathered(bytes) { return }
        let backlog = neededBacklog
        if let first = takeGathered() { backlog.pending.append(first) }
        backlog.pending.append(bytes)
        pendingCount += bytes.count
    }

    /// The one piece that this delivery has sent back, if it is.
    func takeGathered() -> Bytes? {
        guard hasGathered else { return nil }
        hasGathered = false
        return place.gathering.value.piece.take()
    }

    private func flushSoon() {
        if isFlushDue { return }
        isFlushDue = true
        let core = Confined(self)
        loop.execute {
            let core = core.value
            core.isFlushDue = false
            if core.pendingCount > 0, !core.isBlocked { core.flush() }
        }
    }

    private func block(keeping rest: Bytes) {
        neededBacklog.pending.append(rest.compacted())
        pendingCount += rest.count
        isBlocked = true
        updateWritability()
        updateWatch()
    }

    /// Sends what waits, as far as the kernel takes it.
    func flush() {
        guard isOpen else { return }
        if hasGathered { return sendGathered() }
        let wasBlocked = isBlocked
        isBlocked = false
        sendPending(wasBlocked)
    }

    /// Sends the one piece that a delivery has sent back. Nothing else waits, so nothing else is to be done where the kernel takes it.
    @inline(__always)
    func sendGathered() {
        guard let piece = takeGathered() else { return }
        let outcome = write(piece)
        if case .count(let count) = outcome, count == piece.count {
            sentTotal += count
            pendingCount = 0
            if backlog == nil, !isFinishing { return updateWritability() }
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
        while pendingCount > 0, !isBlocked, isOpen, let backlog, let oldest = backlog.pending.oldest {
            if backlog.pending.isOnePiece {
                took(write(oldest), of: oldest.count)
            } else {
                let pieces = backlog.pending.pieces(Self.piecesPerCall)
                took(socket.send(pieces), of: pieces.reduce(0) { $0 + $1.count })
            }
        }
        guard isOpen else { return }
        if isBlocked, !wasBlocked { backlog?.pending.compact() }
        if backlog != nil { tellWaiters() }
        updateWritability()
        if pendingCount == 0, isFinishing {
            if shutDown() { tellEnders(.completed) }
        } else if isBlocked != wasBlocked {
            updateWatch()
        }
    }

    /// What the kernel has made of the queue's beginning.
    private func took(_ outcome: SystemSocket.Outcome, of attempted: Int) {
        switch outcome {
        case .count(let count):
            sentTotal += count
            pendingCount -= count
            backlog?.pending.drop(count)
            isBlocked = count < attempted
        case .wouldBlock: isBlocked = true
        case .failed(let code): fail(.system("sending to \(peer)", code))
        }
    }

    /// Ends sending when everything accepted has gone, and tells `end` then. Who is sending a signal is told at once.
    func finishSending(_ end: (@Sendable (Termination<SocketError>) -> Void)?) {
        var isOver = false
        if isOpen, !isFinishing, finishTransforming() {
            isFinishing = true
            if pendingCount == 0 { isOver = shutDown() }
            for send in takeSends() { send.breakOff(closedError) }
        }
        if let end { wait(for: acceptedTotal, end) }
        // Behind the end of what was sent: who hears of that may be disposed when the connection has gone.
        if isOver { tellEnders(.completed) }
    }

    /// Lets the transformer give what it still keeps; false where that has broken the connection off.
    private func finishTransforming() -> Bool {
        guard isTransformed else { return true }
        return transform { transformer, out throws(SocketError) in try transformer.finishSending(&out) } == nil
    }

    /// Ends sending; true where that was the last of the connection, and the enders are to be told.
    private func shutDown() -> Bool {
        guard isOpen, !hasFinished else { return false }
        hasFinished = true
        // Also where the close follows at once: another process may have the descriptor too, and then that ends nothing.
        socket.shutdownWriting()
        if releaseIfDone() { return true }
        startDiscarding()
        return false
    }

    private func write(_ bytes: Bytes) -> SystemSocket.Outcome {
        let socket = socket
        return bytes.withUnsafeBytes { memory in socket.send(memory) }
    }

    private func tellWaiters() {
        guard let backlog else { return }
        if backlog.nextPosition <= sentTotal {
            for waiter in backlog.takeWaiters(sentTotal) { waiter.end(.completed) }
        }
        dropBacklogIfEmpty()
    }

    private func dropBacklogIfEmpty() {
        if pendingCount == 0, let backlog, backlog.isEmpty { self.backlog = nil }
    }

    // MARK: Holding senders back

    /// Keeps a source waiting until the low watermark.
    @inline(never)
    func holdBack(_ subscription: SignalSubscription) {
        neededBacklog.hold(subscription.pause())
    }

    func releaseSources() {
        guard let backlog else { return }
        let holds = backlog.takeHolds()
        dropBacklogIfEmpty()
        for hold in holds { hold.dispose() }
    }

    @inline(__always)
    func updateWritability() {
        if isTransformed || isAboveHighWatermark || pendingCount > 0 { tellWatermarks() }
    }

    private func tellWatermarks() {
        let waiting = isTransformed ? pendingCount + (extras?.transformer?.heldCount ?? 0) : pendingCount
        if !isAboveHighWatermark, waiting >= watermarks.high {
            isAboveHighWatermark = true
            tellWritability(Writability.Told.full)
        } else if isAboveHighWatermark, waiting <= watermarks.low {
            isAboveHighWatermark = false
            tellWritability(Writability.Told.writable)
            // Who was told may have filled it up again.
            if !isAboveHighWatermark { releaseSources() }
        }
    }
}
