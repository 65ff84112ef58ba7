import ReactiveCore
import ReactiveSignals
import ReactiveSupport

extension ConnectionCore {
    func send(_ bytes: Bytes, _ ticket: SendTicket) {
        if let refusal = accept(bytes) {
            ticket.state = .refused(refusal)
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
        case .refused(let error): emitter.fail(error)
        case .accepted(let position): wait(for: position) { emitter.send(termination: $0) }
        }
    }

    func wait(for position: Int, _ end: @escaping @Sendable (Termination<SocketError>) -> Void) {
        if sentTotal >= position { return end(.completed) }
        if !isOpen { return end(.failed(closedError)) }
        // Nearly always the last; who asks late about an early send comes before.
        let place = waiters.lastIndex { $0.position <= position }.map { $0 + 1 } ?? 0
        waiters.insert(Waiter(position: position, end: end), at: place)
    }

    /// Sends as much as the kernel takes now, and keeps the rest. Returns why nothing was accepted, if so.
    func accept(_ bytes: Bytes) -> SocketError? {
        guard isOpen, !isFinishing else { return closedError }
        if bytes.isEmpty { return nil }
        acceptedTotal += bytes.count
        var rest = bytes
        if pendingCount == 0 {
            switch write(bytes) {
            case .count(let count):
                sentTotal += count
                if count == bytes.count { return nil }
                rest = bytes[bytes.startIndex + count..<bytes.endIndex]
            case .wouldBlock: break
            case .failed(let code):
                let error = SocketError.system("sending to \(peer)", code)
                fail(error)
                return error
            }
        }
        // A few bytes must not keep a large slab for a slow peer.
        pending.append(rest.compacted())
        pendingCount += rest.count
        updateWritability()
        updateWatch()
        return nil
    }

    /// Sends what waits, as far as the kernel takes it.
    func flush() {
        while let bytes = current.take() ?? pending.popFirst() {
            switch write(bytes) {
            case .count(let count):
                sentTotal += count
                pendingCount -= count
                if count == bytes.count { continue }
                current = bytes[bytes.startIndex + count..<bytes.endIndex]
            case .wouldBlock: current = bytes
            case .failed(let code): return fail(.system("sending to \(peer)", code))
            }
            break
        }
        tellWaiters()
        updateWritability()
        if pendingCount == 0, isFinishing { shutDown() } else { updateWatch() }
    }

    /// Ends sending when everything accepted has gone, and tells `end` then. Who is sending a signal is told at once.
    func finishSending(_ end: (@Sendable (Termination<SocketError>) -> Void)?) {
        if isOpen, !isFinishing {
            isFinishing = true
            if pendingCount == 0 { shutDown() }
            let writers = writers
            self.writers = [:]
            for tell in writers.values { tell(closedError) }
        }
        if let end { wait(for: acceptedTotal, end) }
    }

    private func shutDown() {
        guard isOpen, !hasFinished else { return }
        hasFinished = true
        socket.shutdownWriting()
        closeIfDone()
        startDiscarding()
    }

    private func write(_ bytes: Bytes) -> SystemSocket.Outcome {
        bytes.withUnsafeBytes { memory in socket.send(memory) }
    }

    private func tellWaiters() {
        guard let first = waiters.first, first.position <= sentTotal else { return }
        let done = waiters.prefix { $0.position <= sentTotal }
        waiters.removeFirst(done.count)
        for waiter in done { waiter.end(.completed) }
    }

    // MARK: Holding senders back

    /// Keeps a source waiting until the low watermark.
    func holdBack(_ subscription: SignalSubscription) {
        heldSources.append(subscription.pause())
    }

    func releaseSources() {
        let holds = heldSources
        heldSources = []
        for hold in holds { hold.dispose() }
    }

    func updateWritability() {
        if !isAboveHighWatermark, pendingCount >= watermarks.high {
            isAboveHighWatermark = true
            writability.set(false)
        } else if isAboveHighWatermark, pendingCount <= watermarks.low {
            isAboveHighWatermark = false
            writability.set(true)
            // Who was told may have filled it up again.
            if !isAboveHighWatermark { releaseSources() }
        }
    }
}
