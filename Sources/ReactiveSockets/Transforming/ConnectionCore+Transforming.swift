import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The seam for a transformer: what it makes of bytes goes the way that bytes go without one.
extension ConnectionCore {
    /// Lets the transformer do something, and takes what comes out. Returns why the connection has broken off, if it has.
    ///
    /// It is taken out for the call: a transformer that uses its own connection would send what it has not transformed.
    func transform(
        _ step: (inout any ConnectionTransformer, inout TransformedBytes) throws(SocketError) -> Void
    ) -> SocketError? {
        let extras = neededExtras
        guard var transformer = extras.transformer.take() else {
            preconditionFailure("a transformer used its own connection")
        }
        var out = TransformedBytes()
        var failure: SocketError?
        do {
            try step(&transformer, &out)
        } catch {
            failure = error
        }
        extras.transformer = transformer
        guard isOpen else { return refusalError }
        // First: sending tells of results, and what is made of bytes that are sent from there comes behind this.
        extras.undelivered.append(contentsOf: out.applicationBytes)
        // Also before a failure: an alert that says why goes out.
        if let refusal = enqueue(out.peerBytes) { return refusal }
        if let failure {
            abortGently(failure)
            return failure
        }
        settleTickets()
        updateWritability()
        return nil
    }

    /// Sends parts that belong together. What is sent from inside, when a result or a watermark is told, comes behind all of them.
    private func enqueue(_ parts: [Bytes]) -> SocketError? {
        guard parts.count > 1 else { return parts.first.flatMap { enqueue($0) } }
        for part in parts { gather(sending.isBlocked ? part.compacted() : part) }
        if sending.isBlocked {
            updateWritability()
        } else if !receiving.isDelivering || sending.pending >= context.gatherLimit {
            flush()
        }
        return isOpen ? nil : refusalError
    }

    /// Begins: a handshake may go out before anybody has sent anything.
    func begin() {
        guard isTransformed else { return }
        _ = transform { transformer, out throws(SocketError) in try transformer.begin(&out) }
    }

    /// Tells whoever receives what has come out, while it wants it; then the end, if that has come.
    func deliverTransformed() {
        while let subscription, subscription.isOpen {
            guard let bytes = extras?.undelivered.popFirst() else {
                if receiving.stream == .endHeld { reachEnd() }
                break
            }
            deliver(bytes)
        }
        updateWatch()
    }

    /// Positions for the sends whose last byte has come out of the transformer.
    private func settleTickets() {
        guard let extras, !extras.heldTickets.isEmpty, extras.transformer?.heldCount == 0 else { return }
        let (tickets, ends) = (extras.heldTickets, extras.heldCompletions)
        extras.heldTickets = []
        extras.heldCompletions = []
        for ticket in tickets { ticket.state = .accepted(position: acceptedTotal) }
        for end in ends { wait(for: acceptedTotal, end) }
    }

    /// What the transformer has refused: what it has said to the peer goes out, as far as the kernel takes it now.
    private func abortGently(_ error: SocketError) {
        if sending.pending > 0 { flush() }
        fail(error)
    }
}
