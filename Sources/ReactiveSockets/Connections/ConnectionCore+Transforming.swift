// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// The calls of the transformer. Its output takes the same path as the bytes of a connection without a transformer.
extension ConnectionCore {
    /// Calls the transformer and takes its output. Returns the error if the connection has ended.
    func transform(
        _ step: (inout any ConnectionTransformer, inout TransformedBytes) throws(SocketError) -> Void
    ) -> SocketError? {
        guard isOpen else { return refusalError }
        let extras = ensureExtras()
        var out = TransformedBytes(for: self)
        var failure: SocketError?
        do throws(SocketError) {
            try extras.call { transformer throws(SocketError) in try step(&transformer, &out) }
        } catch {
            failure = error
        }
        guard isOpen else {
            extras.endTransforming()
            return refusalError
        }
        // The application bytes are queued before the peer's bytes are sent. Sending may notify observers, which may
        // send too. Application bytes that result from those sends must follow the bytes of this call.
        if !out.applicationBytes.isEmpty, !receiving.hasEnded, !phase.isClosing {
            extras.undelivered.append(contentsOf: out.applicationBytes.take())
        }
        if out.endsApplicationStream, !receiving.hasEnded { receiving.holdEnd() }
        // The bytes for the peer are sent even before a failure, because they may contain an alert with the reason.
        if !out.peerBytes.isEmpty, let refusal = enqueue(out.peerBytes.take()) { return refusal }
        if let failure {
            failAfterFlushing(failure)
            return failure
        }
        settleTickets()
        updateWritability()
        // A transformer that begins to need input receives, even if the reader is paused or absent.
        if needsInput {
            receiving.resume()
            updateWatch()
        } else {
            endNeedOfInput()
        }
        return nil
    }

    /// Whether the transformer cannot continue without bytes of the peer.
    var needsInput: Bool { isTransformed && extras?.needsInput == true }

    /// Whether the transformer can process no input now. Implies `needsInput`.
    @inline(__always)
    var isSuspended: Bool { isTransformed && extras?.isSuspended == true }

    /// Whether the peer does not read the transformer's replies to its bytes, and they have reached the high watermark.
    /// The connection then stops receiving. Otherwise such a peer could fill memory.
    var hasUnreadReplies: Bool {
        isTransformed && sending.isBlocked && (extras?.replyCount ?? 0) >= watermarks.high
    }

    /// Counts the bytes for the peer that the transformer has produced from received bytes.
    func countReplies(_ out: TransformedBytes) {
        let extras = ensureExtras()
        let earlier = sending.isBlocked ? extras.replyCount : 0
        extras.replyCount = earlier + out.peerBytes.byteCount
    }

    /// Ends sending if that had to wait for the transformer.
    private func endNeedOfInput() {
        extras?.waiting.takeTimer()?.dispose()
        guard sending.phase == .held else { return }
        sending.release()
        let ends = extras?.waiting.takeEnds() ?? []
        finishSending(nil)
        for end in ends { whenSent(upTo: acceptedTotal, end) }
    }

    private func failWithoutInput(_ limit: Duration) {
        guard isOpen, needsInput else { return }
        fail(SocketError(.timedOut, "the handshake with \(peer) was not complete within \(limit)"))
    }

    /// Sends buffers that belong together. If an observer of a result or watermark sends bytes during this call, they
    /// come after all of the buffers.
    private func enqueue(_ parts: consuming BytesQueue) -> SocketError? {
        if parts.isOneBuffer { return parts.popFirst().flatMap { enqueue($0) } }
        while let part = parts.popFirst() { gather(sending.isBlocked ? part.compacted() : part) }
        if sending.isBlocked {
            updateWritability()
        } else if !receiving.isDelivering || sending.pendingCount >= context.gatherLimit {
            flush()
        }
        return isOpen ? nil : refusalError
    }

    /// Sends bytes that precede everything else, without transforming them. Then makes the first call of the transformer.
    func begin(after preface: Bytes?) {
        if let preface { _ = enqueue(preface) }
        begin()
    }

    /// Makes the first call of the transformer. It may send a handshake before the application sends anything.
    func begin() {
        guard isTransformed, isOpen else { return }
        var limit: Duration?
        let failure = transform { transformer, out throws(SocketError) in
            try transformer.begin(&out)
            limit = transformer.inputTimeout
        }
        guard failure == nil, needsInput else { return }
        if let limit {
            // Not weak: a weak reference would cost memory, and time at each later retain.
            let core = UnsafeTransfer(self)
            extras?.waiting.set(timer: loop.schedule(after: limit) { core.value.failWithoutInput(limit) })
        }
        updateWatch()
    }

    /// Lets a suspended transformer continue. Returns whether the connection was open.
    func resumeTransformer() -> Bool {
        guard isOpen, isTransformed else { return false }
        transformInput { transformer, out throws(SocketError) in try transformer.resume(&out) }
        return true
    }

    /// Lets the transformer process bytes of the peer, counts its replies, and delivers its other output.
    func transformInput(
        _ step: (inout any ConnectionTransformer, inout TransformedBytes) throws(SocketError) -> Void
    ) {
        let failure = transform { transformer, out throws(SocketError) in
            let heldCount = transformer.heldCount
            try step(&transformer, &out)
            // Bytes of the application that waited are no replies to the peer.
            if transformer.heldCount >= heldCount { countReplies(out) }
        }
        if failure == nil { deliverTransformed() }
        if hasUnreadReplies { measureHalfClosed() }
    }

    /// Delivers transformed bytes while the reader accepts them. Then ends receiving if the peer has ended its stream.
    func deliverTransformed() {
        while let subscription, subscription.acceptsValues {
            guard let bytes = extras?.undelivered.popFirst() else {
                if receiving.stream == .endHeld { reachEnd() }
                break
            }
            deliver(bytes)
        }
        if holdsTransformed {
            // Otherwise a few bytes would retain a large slab while the reader pauses.
            extras?.undelivered.compact()
            measureHalfClosed()
        } else if receiving.stream == .endHeld {
            notifyStreamEndObservers()
            measureHalfClosed()
        }
        closeIfDone()
    }

    /// Drops transformed bytes that no reader can receive any more, because this side closes the connection.
    func dropUndelivered() {
        if holdsTransformed { extras?.undelivered = BytesQueue() }
    }

    /// Sets the positions of the waiting sends once the transformer keeps no bytes.
    private func settleTickets() {
        guard let extras, extras.heldCount == 0, extras.waiting.hasTickets else { return }
        let (tickets, observers) = extras.waiting.takeSends()
        for ticket in tickets { ticket.state = .accepted(position: acceptedTotal) }
        for observer in observers {
            whenSent(upTo: acceptedTotal, for: observer.subscription) { termination, _ in observer.end(termination) }
        }
    }

    /// Fails the connection with an error of the transformer, after writing as many bytes as the kernel accepts now.
    private func failAfterFlushing(_ error: SocketError) {
        if sending.pendingCount > 0 { flush() }
        fail(error)
    }
}

/// Why a connection cannot begin to transform its bytes now.
package enum UpgradeObstacle: Sendable {
    case alreadyTransformed
    /// A subscriber of `received` may keep bytes that arrived before, and would treat them as transformed ones.
    case receiving
    /// This side has ended sending.
    case sendingHasEnded
    /// The peer has ended its stream.
    case streamHasEnded
}

/// The upgrade of a connection without a transformer, as by STARTTLS.
extension ConnectionCore {
    private var obstacle: UpgradeObstacle? {
        if isTransformed { return .alreadyTransformed }
        if let subscription, !subscription.isDisposed { return .receiving }
        if sending.phase != .open { return .sendingHasEnded }
        if receiving.hasEnded { return .streamHasEnded }
        return nil
    }

    /// Transforms all bytes from now on. Bytes that have been sent before remain as they are, and precede the output of
    /// the transformer. `unread` is the beginning of the transformer's input.
    ///
    /// If that is not possible, the connection fails with the error that `refuse` returns.
    func upgrade(
        to transformer: any ConnectionTransformer,
        _ unread: Bytes,
        _ refuse: (UpgradeObstacle) -> SocketError
    ) {
        guard isOpen, !phase.isClosing else { return }
        if let obstacle { return fail(refuse(obstacle)) }
        beginTransforming(transformer)
        // A peek may have found bytes. They belong to the transformer.
        receiving.resume()
        begin()
        if isOpen, !unread.isEmpty { takeTransformed(unread) }
    }
}

extension Connection {
    /// Transforms all bytes from now on. On the loop it takes effect before it returns.
    ///
    /// - Parameters:
    ///   - make: Creates the transformer, on the loop.
    ///   - unread: Bytes that `received` has sent, and that the transformer must process.
    ///   - refuse: Returns the error with which the connection fails if the upgrade is not possible.
    package func upgrade(
        to make: @escaping @Sendable () -> any ConnectionTransformer,
        unread: Bytes,
        refuse: @escaping @Sendable (UpgradeObstacle) -> SocketError
    ) {
        loop.runOrExecute { [core] in core.value.upgrade(to: make(), unread, refuse) }
    }
}
