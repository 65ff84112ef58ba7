// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

extension DatagramCore {
    private static let datagramsPerTurn = 32
    /// The minimum cost of a queued datagram in bytes, because even an empty one needs memory.
    private static let leastCost = 256
    /// The maximum number of attempts to send a datagram. A send may fail with the error of an earlier datagram, and is
    /// then repeated.
    private static let attempts = 3
    /// The delay before the first retry if readiness does not tell when the kernel has room. It doubles with each
    /// retry, up to `longestRetry`.
    private static let firstRetry = Duration.milliseconds(1)
    private static let longestRetry = Duration.milliseconds(64)

    /// Sends a datagram now, or when the kernel has room. `end` is called once, possibly before this returns.
    func send(_ datagram: Datagram, _ end: @escaping (Termination<SocketError>) -> Void) {
        guard acceptsDatagrams else { return end(.failed(refusalError)) }
        acceptedTotal += 1
        let attempt = queue.isEmpty ? transmit(datagram) : Attempt()
        if let termination = attempt.termination {
            settledTotal += 1
            emit(attempt.reports)
            return end(termination)
        }
        enqueue(datagram, end)
        emit(attempt.reports)
    }

    private func enqueue(_ datagram: Datagram, _ end: @escaping (Termination<SocketError>) -> Void) {
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
        var reports: [SocketError] = []
        while settled.count < Self.datagramsPerTurn, let oldest = queue.first {
            let attempt = transmit(oldest.datagram)
            reports += attempt.reports
            guard let termination = attempt.termination else { break }
            _ = queue.popFirst()
            queuedCost -= Self.cost(oldest.datagram)
            settledTotal += 1
            settled.append((oldest, termination))
        }
        if settled.isEmpty { retryLater() } else { retryDelay = .zero }
        updateWatch()
        let done = takeSettledWaiters()
        // Subscribers are called last, because they may send more datagrams or close the socket.
        emit(reports)
        for (outgoing, termination) in settled { outgoing.end(termination) }
        for waiter in done { waiter.end(.completed) }
        guard isOpen else { return }
        updateHighWatermark()
        if isClosing, queue.isEmpty { end(refusalError) }
    }

    private func takeSettledWaiters() -> [Waiter] {
        let done = Array(waiters.prefix { $0.position <= settledTotal })
        waiters.removeFirst(done.count)
        return done
    }

    /// The result of trying to send a datagram.
    private struct Attempt {
        /// `nil` if the kernel had no room.
        var termination: Termination<SocketError>?
        /// Failures of earlier datagrams, for the subscribers of `errors`.
        var reports: [SocketError] = []
    }

    /// Sends a datagram if the kernel has room.
    ///
    /// If the system reports the failure of an earlier datagram, the call sends nothing and is repeated. If the
    /// repeated call fails with the same error, it belongs to this datagram. The method runs no user code.
    private func transmit(_ datagram: Datagram) -> Attempt {
        guard let peer = datagram.peer ?? remote else {
            let why = "cannot send a datagram from \(name): it has no peer; pass one, or connect the socket"
            return Attempt(termination: .failed(SocketError(.invalidAddress, why)))
        }
        var codes: [Int32] = []
        while true {
            let code: Int32
            switch socket.send(datagram.bytes, to: datagram.peer) {
            case .count: code = 0
            case .wouldBlock: return Attempt(reports: reports(codes))
            case .failed(let refusal): code = refusal
            }
            if SocketError.leavesSocketOpen(code), codes.count + 1 < Self.attempts {
                codes.append(code)
                continue
            }
            let termination: Termination<SocketError> =
                code == 0 ? .completed : .failed(.system("cannot send to \(peer)", code))
            return Attempt(termination: termination, reports: reports(codes.filter { $0 != code }))
        }
    }

    private func reports(_ codes: [Int32]) -> [SocketError] {
        codes.map { .system("an earlier datagram from \(name) was not delivered", $0) }
    }

    private func emit(_ reports: [SocketError]) {
        for report in reports { errors.send(report) }
    }

    private static func cost(_ datagram: Datagram) -> Int { max(leastCost, datagram.bytes.count) }

    // A timer is needed because a Unix socket can be writable while the receiver's buffer is full.
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
            for pause in sources.takePauses() { pause.dispose() }
        }
    }
}
