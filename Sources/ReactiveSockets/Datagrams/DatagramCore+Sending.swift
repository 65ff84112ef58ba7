import ReactiveCore
import ReactiveSignals
import ReactiveSupport

extension DatagramCore {
    private static let datagramsPerTurn = 32
    /// The minimum cost of a queued datagram: an empty one needs memory too.
    private static let leastCost = 256
    /// The number of attempts to send a datagram while reports on earlier ones interrupt.
    private static let attempts = 3
    /// The delay before a retry when readiness is not informative. It doubles up to the longest.
    private static let firstRetry = Duration.milliseconds(1)
    private static let longestRetry = Duration.milliseconds(64)

    /// Sends a datagram now, or when the kernel has room. `end` is called once, possibly before this returns.
    func send(_ datagram: Datagram, _ end: @escaping (Termination<SocketError>) -> Void) {
        guard isOpen, !isClosing else { return end(.failed(closedError)) }
        acceptedTotal += 1
        if queue.isEmpty, let termination = transmit(datagram) {
            settledTotal += 1
            return end(termination)
        }
        // Subscribers of `errors` may have closed the socket.
        guard isOpen else { return end(.failed(closedError)) }
        var kept = datagram
        kept.bytes = kept.bytes.compacted()
        queue.append(Outgoing(datagram: kept, end: end))
        queuedCost += Self.cost(kept)
        updateHighWatermark()
        if queue.count == 1 { updateWatch() }
    }

    /// Calls `end` when every datagram accepted so far has been sent or refused.
    func waitForAll(_ end: @escaping @Sendable (Termination<SocketError>) -> Void) {
        if settledTotal == acceptedTotal { return end(.completed) }
        waiters.append(Waiter(position: acceptedTotal, end: end))
    }

    /// Sends queued datagrams until the kernel has no room or the limit of a turn is reached.
    func flush() {
        var settled: [(Outgoing, Termination<SocketError>)] = []
        while settled.count < Self.datagramsPerTurn, let oldest = queue.first {
            guard let termination = transmit(oldest.datagram) else { break }
            // Subscribers of `errors` may have closed the socket.
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

    /// Sends a datagram. Returns its termination, or nil if the kernel has no room.
    ///
    /// A report on an earlier datagram makes the next call fail without effect, so the call is repeated. A failure of
    /// this datagram recurs.
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

    // A Unix socket can be writable while its receiver's buffer is full, so writability would not help.
    private func retryLater() {
        retryDelay = retryDelay == .zero ? Self.firstRetry : min(retryDelay * 2, Self.longestRetry)
        let core = UnsafeTransfer(self)
        retry = loop.schedule(after: retryDelay) {
            core.value.retry = nil
            if core.value.isOpen { core.value.flush() }
        }
    }

    // MARK: Back-pressure

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
