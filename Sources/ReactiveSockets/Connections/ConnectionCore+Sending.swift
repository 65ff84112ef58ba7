// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import Synchronization

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
    func observe(_ ticket: SendTicket, with emitter: Emitter<Never, SocketError>, _ subscription: SignalSubscription) {
        switch ticket.state {
        case .waitingForLoop:
            // Another thread has called `send`, and the job of that call is still in the loop's queue. This job runs
            // after it.
            let (core, ticket) = (UnsafeTransfer(self), UnsafeTransfer(ticket))
            loop.execute { core.value.observe(ticket.value, with: emitter, subscription) }
        case .held: ensureExtras().waiting.add((subscription, { emitter.send(termination: $0) }))
        case .refused(let error): emitter.fail(error)
        case .accepted(let position):
            whenSent(upTo: position, for: subscription) { termination, _ in emitter.send(termination: termination) }
        }
    }

    /// Calls `end` when the kernel has accepted all bytes up to `position`. If the connection ends before that, calls
    /// `end` with the error. Without a subscription, the result of a `send(from:)` waits, which may have been discarded.
    func whenSent(
        upTo position: Int,
        for subscription: SignalSubscription? = nil,
        _ end: @escaping SendBacklog.SendEnd
    ) {
        if sending.sent >= position { return end(.completed, false) }
        // `closeError` is the error that dropped the bytes. After a graceful close, `refusal` is another error.
        if !isOpen { return end(.failed(extras?.ending?.closeError ?? refusalError), !claimReport()) }
        neededBacklog.add(SendBacklog.Waiter(position: position, subscription: subscription, end: end))
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

    /// Writes bytes. A file may follow them.
    func write(_ bytes: Bytes, isFollowed: Bool = false) -> SystemSocket.Outcome {
        let socket = socket
        return unsafe bytes.withUnsafeBytes { memory in unsafe socket.send(memory, isFollowed: isFollowed) }
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
        guard sending.canKeepOneBuffer(isDelivering: receiving.isDelivering), context.gathering.value.bytes == nil
        else {
            return false
        }
        context.gathering.value.bytes = bytes
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
        sending.takeOneBuffer() ? context.gathering.value.bytes.take() : nil
    }
}

/// The sources that are being sent, and the watermarks that pause them.
extension ConnectionCore {
    /// Registers a source to send. Its result fails when the connection ends, or immediately if sending has ended.
    func begin(_ send: SourceSubscription) {
        // The failure of the connection has been received or reported already.
        guard isOpen, sending.phase == .open else { return send.fail(refusalError, isHandledElsewhere: true) }
        if firstSend == nil { firstSend = send } else { ensureExtras().sends.append(send) }
    }

    func remove(_ send: SourceSubscription) {
        if firstSend === send { firstSend = nil } else { extras?.sends.removeAll { $0 === send } }
    }

    /// Whether the source is being sent. If so, its result terminates no later than the connection.
    func isSending(_ send: SourceSubscription) -> Bool {
        firstSend === send || extras?.sends.contains { $0 === send } == true
    }

    /// Whether any source is being sent.
    var isSendingSource: Bool { firstSend != nil || extras?.sends.isEmpty == false }

    func takeSends() -> [SourceSubscription] {
        var sends = extras?.sends.takeAll() ?? []
        if let first = firstSend.take() { sends.insert(first, at: 0) }
        return sends
    }

    /// Pauses a source until the waiting bytes fall to the low watermark.
    @inline(never)
    func pauseSource(_ subscription: SignalSubscription) {
        neededBacklog.addPause(subscription.pause())
    }

    private func releaseSources() {
        guard let backlog else { return }
        let pauses = backlog.takePauses()
        dropBacklogIfEmpty()
        for pause in pauses { pause.dispose() }
    }

    // MARK: Watermarks

    @inline(__always)
    func updateWritability() {
        if isTransformed || sending.mayCross { reportWatermarks() }
    }

    private func reportWatermarks() {
        // The observer of a result may have ended the connection, which has set the final value.
        guard isOpen else { return }
        let held = isTransformed ? extras?.heldCount ?? 0 : 0
        switch sending.cross(sending.pendingCount + held, watermarks) {
        case nil: break
        case .high: reportWritability(Writability.Level.full)
        case .low:
            reportWritability(Writability.Level.writable)
            // An observer may have sent more bytes.
            if sending.level == .low { releaseSources() }
        }
    }

    /// Stores the value, then sets the property if there is one. Because of this order, a thread that creates the
    /// property at the same time reads the stored value.
    func reportWritability(_ level: UInt8) {
        reportedWritability.store(level, ordering: .sequentiallyConsistent)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        guard let writability = writability.object else { return }
        if level == Writability.Level.ended {
            writability.end()
        } else {
            writability.set(level != Writability.Level.full)
        }
    }
}

/// Writing the waiting bytes, and the end of the stream after them.
extension ConnectionCore {
    /// The maximum number of buffers that one call writes.
    private static let buffersPerCall = 64

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
        guard let bytes = takeFromSharedSlot() else { return }
        let outcome = write(bytes)
        if case .count(let count) = outcome, count == bytes.count {
            sending.kernelAcceptedOneBuffer()
            if backlog == nil, sending.phase == .open { return updateWritability() }
        } else {
            keep(bytes, outcome)
        }
        sendPending(false)
    }

    @inline(never)
    private func keep(_ bytes: Bytes, _ outcome: SystemSocket.Outcome) {
        neededBacklog.queue.append(bytes)
        recordWrite(outcome, of: bytes.count)
    }

    @inline(never)
    private func sendPending(_ wasBlocked: Bool) {
        while sending.waiting == .backlog, isOpen, let backlog {
            guard let oldest = backlog.queue.oldest else {
                if sendFile(of: backlog) { continue }
                break
            }
            if backlog.files.isEmpty, !backlog.queue.isOneBuffer {
                let buffers = backlog.queue.buffers(Self.buffersPerCall)
                recordWrite(socket.send(buffers), of: buffers.reduce(0) { $0 + $1.count })
            } else {
                recordWrite(write(oldest, isFollowed: !backlog.files.isEmpty), of: oldest.count)
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
        if let end { whenSent(upTo: acceptedTotal, end) }
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
        findEndBehindPeek()
        startDiscarding()
        return closeDescriptorIfDone()
    }
}

/// Files in the queue of a connection that has no transformer (Decision 0053).
///
/// A file counts as waiting bytes, although it needs no memory. So watermarks, timeouts and the close treat it like any
/// other bytes.
extension ConnectionCore {
    /// The maximum number of bytes of files that a connection sends before it waits for the next turn.
    static let fileBytesPerTurn = 256 * 1024
    /// The maximum number of bytes of one read, if the system cannot send the file directly.
    private static let fileBytesPerRead = 64 * 1024

    /// Accepts a part of a file for sending after everything before it. `source` is paused at the high watermark.
    func send(_ part: FilePart, pausing source: SignalSubscription) {
        guard isOpen, sending.phase == .open, !part.range.isEmpty else { return }
        precondition(!isTransformed)
        if sending.isRefused { return sending.queue(part.range.count) }
        let backlog = neededBacklog
        if let first = takeFromSharedSlot() { backlog.append(first) }
        backlog.append(WaitingFile(part))
        sending.queue(part.range.count)
        if sending.isBlocked {
            updateWritability()
        } else {
            switch sending.nextFlush(limit: context.gatherLimit, isDelivering: receiving.isDelivering) {
            case .now: flush()
            case .schedule: scheduleFlush()
            case .later: break
            }
        }
        if isOpen, sending.level == .high { pauseSource(source) }
    }

    /// Sends bytes of the first file. Returns false if the caller cannot go on in this turn.
    @inline(never)
    func sendFile(of backlog: SendBacklog) -> Bool {
        guard let file = backlog.files.first else { return false }
        let turns = context.gathering.value.fileTurns
        let budget = Self.fileBytesPerTurn - turns.count(of: self, in: loop.turn)
        guard budget > 0 else {
            if sending.scheduleFlush() { scheduleFlush() }
            return false
        }
        let attempted = min(file.remaining, budget)
        switch socket.send(file.part.file, from: file.offset, attempted) {
        case .count(0): failFile(file.part, nil)
        case .count(let count):
            turns.add(count, of: self)
            sending.kernelAccepted(count, of: attempted)
            advance(file, count, backlog)
        case .wouldBlock: sending.kernelAccepted(0, of: attempted)
        case .failed(EINVAL), .failed(ENOSYS): read(file, backlog, turns)
        case .failed(let code) where Self.isOfSocket(code): failSending(code)
        case .failed(let code): failFile(file.part, code)
        }
        return true
    }

    /// Whether a failure of sendfile is that of the socket. All others are those of the file.
    private static func isOfSocket(_ code: Int32) -> Bool {
        switch code {
        case EPIPE, ECONNRESET, ENOTCONN, ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN, ENETRESET,
            ECONNREFUSED, ECONNABORTED, ESHUTDOWN, ENOPROTOOPT, EPROTO, EMSGSIZE, ENOBUFS, ENOTSOCK:
            true
        default: false
        }
    }

    /// Reads the next bytes of the file into the queue, because the system cannot send them directly.
    private func read(_ file: WaitingFile, _ backlog: SendBacklog, _ turns: FileTurns) {
        do throws(SystemFailure) {
            let limit = min(file.remaining, Self.fileBytesPerRead)
            let bytes = try file.part.file.read(at: file.offset, atMost: limit)
            if bytes.isEmpty { return failFile(file.part, nil) }
            turns.add(bytes.count, of: self)
            backlog.queue.append(bytes)
            advance(file, bytes.count, backlog)
        } catch {
            failFile(file.part, error.errno)
        }
    }

    private func advance(_ file: WaitingFile, _ count: Int, _ backlog: SendBacklog) {
        file.advance(count)
        if file.remaining == 0 { backlog.dropFirstFile() }
    }

    /// Resets the connection, so that the peer does not mistake the part of the file for all of it. `code` is `nil` if the
    /// file has become shorter.
    ///
    /// The state is final before the owner of the file is notified, because it may call any member.
    private func failFile(_ part: FilePart, _ code: Int32?) {
        let operation = "cannot send a file to \(peer)"
        let reason = code.map { SocketError.system(operation, $0).message }
        let error = SocketError(
            .sourceFailed,
            errno: code ?? 0,
            reason ?? "\(operation): it has become shorter while it was being sent"
        )
        abort(error)
        part.failed(error)
    }
}
