import ReactiveCore
import ReactiveSignals
import ReactiveSupport

extension DatagramCore {
    private static let datagramsPerTurn = 32
    /// What a datagram costs at least while it waits: an empty one needs memory too.
    private static let leastCost = 256
    /// How often a datagram is tried when a report on an earlier one comes in its place.
    private static let attempts = 3
    /// How long to wait where readiness says nothing: doubled each time, up to the longest.
    private static let firstRetry = Duration.milliseconds(1)
    private static let longestRetry = Duration.milliseconds(64)

    /// Sends now, or when the kernel takes it. `end` is called once, perhaps before this returns.
    func send(_ datagram: Datagram, _ end: @escaping (Termination<SocketError>) -> Void) {
        guard isOpen, !isClosing else { return end(.failed(closedError)) }
        acceptedTotal += 1
        if queue.isEmpty, let termination = transmit(datagram) {
            settledTotal += 1
            return end(termination)
        }
        // What was reported meanwhile may have closed the socket.
        guard isOpen else { return end(.failed(closedError)) }
        var kept = datagram
        kept.bytes = kept.bytes.compacted()
        queue.append(Outgoing(datagram: kept, end: end))
        queuedCost += Self.cost(kept)
        updateHighWatermark()
        if queue.count == 1 { updateWatch() }
    }

    /// Calls `end` when everything accepted so far has been given to the kernel.
    func waitForAll(_ end: @escaping @Sendable (Termination<SocketError>) -> Void) {
        if settledTotal == acceptedTotal { return end(.completed) }
        waiters.append(Waiter(position: acceptedTotal, end: end))
    }

    /// Sends what waits, as far as the kernel takes it, within a turn's bounds.
    func flush() {
        var settled: [(Outgoing, Termination<SocketError>)] = []
        while settled.count < Self.datagramsPerTurn, let oldest = queue.first {
            guard let termination = transmit(oldest.datagram) else { break }
            // What was reported meanwhile may have closed the socket.
            guard isOpen else { return tell(settled) }
            _ = queue.popFirst()
            queuedCost -= Self.cost(oldest.datagram)
            settledTotal += 1
            settled.append((oldest, termination))
        }
        if settled.isEmpty { retryLater() } else { retryDelay = .zero }
        updateWatch()
        tell(settled)
        tellWaiters()
        updateHighWatermark()
        if isClosing, queue.isEmpty { end(closedError) }
    }

    private func tell(_ settled: [(Outgoing, Termination<SocketError>)]) {
        for (outgoing, termination) in settled { outgoing.end(termination) }
    }

    private func tellWaiters() {
        let done = waiters.prefix { $0.position <= settledTotal }
        waiters.removeFirst(done.count)
        for waiter in done { waiter.end(.completed) }
    }

    /// How it went, or nil where the kernel takes nothing now.
    ///
    /// A report on an earlier datagram comes out of whichever call is next, and that call does nothing else: so it is made
    /// again. A failure of the datagram's own comes again.
    private func transmit(_ datagram: Datagram) -> Termination<SocketError>? {
        guard let peer = datagram.peer ?? remote else {
            let why = "a datagram without an address cannot be sent from \(name): say to whom, or connect the socket"
            return .failed(SocketError(.invalidAddress, why))
        }
        var reports: [Int32] = []
        while true {
            let code: Int32
            switch socket.send(datagram.bytes, to: datagram.peer) {
            case .count: code = 0
            case .wouldBlock:
                report(reports, peer)
                return nil
            case .failed(let refusal): code = refusal
            }
            if SocketError.isReport(code), reports.count + 1 < Self.attempts {
                reports.append(code)
                continue
            }
            report(reports.filter { $0 != code }, peer)
            return code == 0 ? .completed : .failed(.system("sending to \(peer)", code))
        }
    }

    private func report(_ codes: [Int32], _ peer: SocketAddress) {
        for code in codes { errors.send(.system("an earlier datagram from \(name)", code)) }
    }

    private static func cost(_ datagram: Datagram) -> Int { max(leastCost, datagram.bytes.count) }

    // The socket is writable, and what it was to send does not go: a Unix socket has room itself, but the receiver has none.
    private func retryLater() {
        retryDelay = retryDelay == .zero ? Self.firstRetry : min(retryDelay * 2, Self.longestRetry)
        let core = UnsafeTransfer(self)
        retry = loop.schedule(after: retryDelay) {
            core.value.retry = nil
            if core.value.isOpen { core.value.flush() }
        }
    }

    // MARK: Holding senders back

    private func updateHighWatermark() {
        if !isAboveHighWatermark, queuedCost >= watermarks.high {
            isAboveHighWatermark = true
        } else if isAboveHighWatermark, queuedCost <= watermarks.low {
            isAboveHighWatermark = false
            let holds = heldSources
            heldSources = []
            for hold in holds { hold.dispose() }
        }
    }
}
