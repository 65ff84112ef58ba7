// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

/// Sending. `SendingState` decides whether bytes are written, gathered for one call, or added to the backlog.
extension ConnectionCore {
    func send(_ bytes: Bytes, _ ticket: SendTicket) {
        if let refusal = accept(bytes) {
            ticket.state = .refused(refusal)
        } else if isTransformed, let extras, extras.heldCount > 0 {
            ticket.state = .held
            extras.waiting.add(ticket)
        } else {
            ticket.state = .accepted(position: acceptedTotal)
        }
        watchForEnd()
    }

    /// Notifies an observer of the result of a `send`, now or when it is known.
    func observe(_ ticket: SendTicket, with emitter: Emitter<Never, SocketError>) {
        switch ticket.state {
        case .waitingForLoop:
            // Another thread has called `send`, and the job of that call is still in the loop's queue. This job runs
            // after it.
            let (core, ticket) = (UnsafeTransfer(self), UnsafeTransfer(ticket))
            loop.execute { core.value.observe(ticket.value, with: emitter) }
        case .held: ensureExtras().waiting.add { emitter.send(termination: $0) }
        case .refused(let error): emitter.fail(error)
        case .accepted(let position):
            whenSent(upTo: position, isObserver: true) { termination, _ in emitter.send(termination: termination) }
        }
    }

    /// Calls `end` when the kernel has accepted all bytes up to `position`. If the connection ends before that, calls
    /// `end` with the error.
    func whenSent(upTo position: Int, isObserver: Bool, _ end: @escaping SendBacklog.SendEnd) {
        if sending.sent >= position { return end(.completed, false) }
        // `closeError` is the error that dropped the bytes. After a graceful close, `refusal` is another error.
        if !isOpen { return end(.failed(extras?.ending?.closeError ?? refusalError), claimFailure()) }
        neededBacklog.add(SendBacklog.Waiter(position: position, isObserver: isObserver, end: end))
    }

    /// Accepts bytes for sending, through the transformer if there is one. Returns the error if they were not accepted.
    @inline(__always)
    func accept(_ bytes: Bytes) -> SocketError? { acceptIntoSharedSlot(bytes) ? nil : acceptGenerally(bytes) }

    @inline(never)
    private func acceptGenerally(_ bytes: Bytes) -> SocketError? {
        guard isOpen, sending.phase == .open else { return refusalError }
        if bytes.isEmpty { return nil }
        guard isTransformed else { return enqueue(bytes) }
        return transform { transformer, out throws(SocketError) in try transformer.send(bytes, &out) }
    }

    /// Writes as many bytes as the kernel accepts now, and keeps the rest. Returns the error if the connection has
    /// failed.
    ///
    /// The first small buffer of a turn is written. Later ones are gathered, so that one call writes them (Decision
    /// 0011).
    func enqueue(_ bytes: Bytes) -> SocketError? {
        guard isOpen else { return refusalError }
        let limit = context.gatherLimit
        switch sending.route(bytes.count, limit: limit, isDelivering: receiving.isDelivering, turn: loop.turn) {
        case .queue:
            // Otherwise a few bytes would retain a large slab while a slow peer delays them.
            if !sending.isRefused { neededBacklog.append(bytes.compacted()) }
            sending.queue(bytes.count)
            updateWritability()
        case .gather:
            gather(bytes)
            switch sending.nextFlush(limit: limit, isDelivering: receiving.isDelivering) {
            case .now: flush()
            case .schedule: scheduleFlush()
            case .later: break
            }
            return isOpen ? nil : refusalError
        case .write: return writeNow(bytes)
        }
        return nil
    }

    /// Writes bytes immediately. Call it only if no other bytes wait.
    private func writeNow(_ bytes: Bytes) -> SocketError? {
        switch write(bytes) {
        case .count(let count):
            sending.wrote(count)
            if count == bytes.count { return nil }
            block(keeping: bytes[bytes.startIndex + count..<bytes.endIndex])
        case .wouldBlock: block(keeping: bytes)
        case .failed(let code):
            // A failure counts these bytes as dropped, so `acceptedTotal` exceeds `sent`. A later `whenSent(upTo:)` at
            // that position then fails instead of completing.
            sending.queue(bytes.count)
            failSending(code)
            if !isOpen { return refusalError }
            updateWritability()
        }
        return nil
    }

    private func block(keeping rest: Bytes) {
        neededBacklog.queue.append(rest.compacted())
        sending.block(keeping: rest.count)
        updateWritability()
        updateWatch()
    }

    func write(_ bytes: Bytes) -> SystemSocket.Outcome {
        let socket = socket
        return unsafe bytes.withUnsafeBytes { memory in unsafe socket.send(memory) }
    }

    // MARK: Gathering

    /// Accepts the typical answer to a chunk: one small buffer that is sent during the delivery. It is written when the
    /// delivery returns. Returns false in any other case.
    @inline(__always)
    private func acceptIntoSharedSlot(_ bytes: Bytes) -> Bool {
        guard isOpen, sending.phase == .open, !isTransformed, !bytes.isEmpty, bytes.count < context.gatherLimit else {
            return false
        }
        return keepInSharedSlot(bytes)
    }

    /// Keeps the first small buffer of a delivery in the shared slot. Returns false if that is not possible.
    @inline(__always)
    private func keepInSharedSlot(_ bytes: Bytes) -> Bool {
        // A callback may run the loop recursively. Then an outer delivery may already use the shared slot.
        guard sending.canKeepOneBuffer(isDelivering: receiving.isDelivering), context.gathering.value.piece == nil
        else {
            return false
        }
        context.gathering.value.piece = bytes
        sending.keepOneBuffer(bytes.count)
        return true
    }

    func gather(_ bytes: Bytes) {
        if sending.isRefused { return sending.queue(bytes.count) }
        if keepInSharedSlot(bytes) { return }
        let backlog = neededBacklog
        if let first = takeFromSharedSlot() { backlog.queue.append(first) }
        backlog.append(bytes)
        sending.queue(bytes.count)
    }

    /// Takes the buffer from the shared slot. Returns nil if this connection has none there.
    func takeFromSharedSlot() -> Bytes? {
        sending.takeOneBuffer() ? context.gathering.value.piece.take() : nil
    }
}
