// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

extension ConnectionCore {
    /// Implements ``Connection/received``. Any thread may call it.
    static func receive(
        _ core: UnsafeTransfer<ConnectionCore>,
        _ sink: Sink<Bytes, SocketError>,
        _ subscription: SignalSubscription
    ) {
        if subscription.isDisposed { return }
        let loop = core.value.loop
        if let error = loop.refusal(as: SocketError.self) { return sink.receive(termination: .failed(error)) }
        // The closure captures one reference, so it needs no allocation. The handlers read the subscription from the
        // connection. The closure is registered before receiving starts, so that no end of a pause is missed.
        // `startReceiving` checks for an earlier disposal.
        subscription.onChange { change in
            switch change {
            case .over: core.value.readerEnded()
            case .resumed: core.value.resumeOnLoop()
            // A pause needs no action: the watch stops reading when the next chunk would have to wait. `failuresMayPass` says
            // that a failure may overtake waiting values. The connection never delays a failure, so it ignores `failuresMayPass`.
            case .paused, .failuresMayPass: break
            }
        }
        let sink = subscription.restoring(sink)
        // Not `runOrExecute`: the caller is usually on the loop, and then needs no closure.
        if loop.isCurrent {
            core.value.startReceiving(Reader(sink: sink, subscription: subscription))
        } else {
            let reader = UnsafeTransfer(Reader(sink: sink, subscription: subscription))
            loop.execute { core.value.startReceiving(reader.value) }
        }
    }

    private func resumeOnLoop() {
        let core = UnsafeTransfer(self)
        loop.runOrExecute { core.value.resumeIfNotPaused() }
    }

    private func readerEnded() {
        let core = UnsafeTransfer(self)
        loop.runOrExecute { core.value.dropEndedReader() }
    }

    private func startReceiving(_ reader: Reader) {
        if reader.subscription.isDisposed { return }
        if let refusal { return reader.end(.failed(refusal)) }
        if receiving.hasEnded { return reader.end(.completed) }
        if let subscription, !subscription.isEnding {
            let error = SocketError(
                .alreadyReceiving,
                "cannot receive from \(peer): `received` already has a subscriber"
            )
            return reader.end(.failed(error))
        }
        let last = takeReader()
        setReader(reader)
        resumeReceiving()
        withExtendedLifetime(last) {}
    }

    /// Starts reading again after a pause. The beginning of a pause changes nothing: the watch stops reading only when
    /// the next chunk would have to wait. This saves two system calls for a short pause.
    private func resumeIfNotPaused() {
        guard let subscription, !subscription.isPauseReported else { return }
        resumeReceiving()
    }

    /// Delivers waiting transformed bytes first. It does so in a separate job, so that resuming never recurses (law
    /// 11).
    private func resumeReceiving() {
        receiving.resume()
        extras?.timing?.readingBegins()
        guard receiving.stream == .endHeld || holdsTransformed else { return updateWatch() }
        let core = UnsafeTransfer(self)
        loop.execute { core.value.deliverTransformed() }
    }

    private func dropEndedReader() {
        guard let subscription, subscription.isDisposed else { return }
        // Released last, because its release may run code that calls this method again (law 3).
        let last = takeReader()
        findEndBehindPeek()
        closeIfDone()
        withExtendedLifetime(last) {}
    }

    func readChunk() {
        if subscription == nil { return stopReadingOrPeek() }
        if !readerAcceptsChunk {
            // A pause that has not been reported yet, or a disposal, will be reported soon. Until then the loop calls this
            // method in each turn.
            if subscription?.isPauseReported == true { stopReadingOrPeek() }
            return
        }
        if holdsTransformed { return deliverTransformed() }
        SlabCache.withCurrent { cache in
            receiveChunk(cache)
            // The connection has released the chunk. If the slab is still retained, the application keeps the chunk.
            receiving.delivered(isKept: !cache.isFree)
        }
    }

    /// Whether a subscriber exists and accepts a chunk now.
    ///
    /// Safe without a retain: only the loop releases the subscription. This code runs on the loop, and calls nothing
    /// that releases it. A retain would need two atomic operations for each chunk.
    @inline(__always)
    private var readerAcceptsChunk: Bool {
        guard let subscription else { return false }
        return unsafe Unmanaged.passUnretained(subscription)._withUnsafeGuaranteedRef { subscription in
            subscription.acceptsValues
        }
    }

    /// Receives if the transformer needs input. Otherwise peeks for the end of the stream, or updates the watch, which stops
    /// reading.
    private func stopReadingOrPeek() {
        if needsInput && receiving.stream == .open || readsToEnd {
            return SlabCache.withCurrent { cache in receiveChunk(cache) }
        }
        if isPeeking { return peek() }
        updateWatch()
    }

    @inline(__always)
    private func receiveChunk(_ cache: SlabCache) {
        let limit = receiving.chunkLimit.byteCount
        // A local copy, because the closure would retain `self`.
        let socket = socket
        var code: Int32 = 0
        let (count, bytes) = unsafe cache.read(atMost: limit) { memory in
            switch unsafe socket.receive(memory) {
            case .count(let count): return count
            case .wouldBlock: break
            case .failed(let error): code = error
            }
            return -1
        }
        switch consume bytes {
        case .some(let bytes):
            receivedTotal += count
            if isTransformed { takeTransformed(bytes) } else { deliver(bytes) }
        case .none:
            if count == 0 { takeEnd() } else if code != 0 { failReceiving(code) } else { failRefused() }
        }
    }

    @inline(never)
    func takeTransformed(_ bytes: Bytes) {
        transformInput { transformer, out throws(SocketError) in try transformer.receive(bytes, &out) }
    }

    @inline(never)
    func takeEnd() {
        // The peer has perhaps reset the connection, which the end of the stream then hides.
        if failRefused() { return }
        guard isTransformed else { return reachEnd() }
        receiving.holdEnd()
        let failure = transform { transformer, out throws(SocketError) in try transformer.receiveEnd(&out) }
        if failure == nil { deliverTransformed() }
    }

    @inline(never)
    private func failReceiving(_ code: Int32) {
        if failRefused() { return }
        fail(.system("cannot receive from \(peer)", code))
    }

    /// Delivers bytes to the reader. Small buffers that are sent during the delivery are then written with one call.
    func deliver(_ bytes: consuming Bytes) {
        // Retained until the delivery returns, because the reader may be removed during it.
        guard let sink else { return }
        receiving.beginDelivery()
        sink.receive(bytes)
        if receiving.endDelivery() { terminateLate() }
        switch sending.waiting {
        case .nothing, .blocked, .refused: break
        case .oneBuffer: sendGathered()
        case .backlog: flush()
        }
    }

    /// Terminates a reader that has been removed: now, or after the current delivery has returned (law 2).
    func deliverTermination(_ termination: Termination<SocketError>, to reader: Reader) {
        guard receiving.defersTermination() else { return reader.end(termination) }
        ensureExtras().ensureEnding().lateTermination = (reader, termination)
    }

    @inline(never)
    private func terminateLate() {
        guard let (reader, termination) = extras?.ending?.lateTermination.take() else { return }
        reader.end(termination)
    }

    /// Ends receiving. Call it when the peer has ended its stream and all bytes before the end have been delivered.
    func reachEnd() {
        receiving.reachEnd()
        let last = takeReader()
        if let last { deliverTermination(.completed, to: last) }
        notifyStreamEndObservers()
        closeIfDone()
        measureHalfClosed()
    }
}

/// The end of the peer's stream while nothing is received, and its observers (rule N26).
///
/// While there is no receiver, or the receiver is paused and the end has observers, the connection peeks, which consumes
/// no byte. Unread bytes would make the descriptor ready in every turn. So when the connection finds a byte, it stops
/// peeking until a receiver starts or resumes. A timer then looks for an end behind the unread bytes
/// (`measureHalfClosed()`).
extension ConnectionCore {
    /// Whether the end of the stream has observers. They keep the watch, so disposing the loop releases them.
    var hasStreamEndObservers: Bool { extras?.streamEndObservers.isEmpty == false }

    /// Whether the descriptor is watched only for the end of the stream.
    var isPeeking: Bool {
        guard !phase.isClosing, hasStreamEndObservers || subscription == nil else { return false }
        return receiving.peeks(for: readerState, holdsBytes: holdsTransformed)
    }

    /// Whether the transformer receives without a reader. After the end of sending only the end of the stream is usually
    /// left, for example the `close_notify` of TLS, and the connection would otherwise wait for it.
    var readsToEnd: Bool { isTransformed && subscription == nil && sending.hasFinished && isPeeking }

    /// If sending has finished and there is no reader, lets the transformer receive what a peek has found. It may be the end for
    /// the transformer, such as `close_notify`.
    func findEndBehindPeek() {
        if isTransformed, sending.hasFinished, subscription == nil { receiving.resume() }
    }

    func observeStreamEnd(_ observer: ConnectionObserver<Never>) {
        if observer.subscription.isDisposed { return }
        let isEndNext = receiving.stream == .endHeld && !holdsTransformed
        guard isOpen, !phase.isClosing, !receiving.hasEnded, !isEndNext else { return observer.emitter.complete() }
        ensureExtras().streamEndObservers.append(observer)
        updateWatch()
    }

    /// Checks for the end of the stream without consuming a byte. Call it only if `isPeeking` is true.
    func peek() {
        switch socket.peek() {
        case .wouldBlock: return
        case .failed(let code): return fail(.system("cannot receive from \(peer)", code))
        case .count(0) where subscription == nil: return takeEnd()
        case .count(0): notifyStreamEndObservers()
        case .count: receiving.findUnread()
        }
        updateWatch()
    }

    /// Completes the observers. Call it when only the end of the stream is left to receive, or when nothing more will
    /// be received.
    @inline(__always)
    func notifyStreamEndObservers() {
        if let extras, !extras.streamEndObservers.isEmpty { notifyStreamEndObservers(extras) }
    }

    @inline(never)
    private func notifyStreamEndObservers(_ extras: ConnectionExtras) {
        for observer in extras.streamEndObservers.takeAll() { observer.emitter.complete() }
    }
}

/// The timer that looks for an end of stream behind unread bytes, and measures how long a connection outlives the end.
final class HalfClosedCheck {
    var clock: PeerClock
    var timer: (any Disposable)?

    init(_ clock: PeerClock) { self.clock = clock }

    func stop() { timer?.dispose() }
}

/// The lifetime after the peer's end of stream (`ConnectionTimeouts.halfClosed`, Decision 0067).
///
/// No event reports an end behind unread bytes: the descriptor is readable because of the bytes, so the loop must
/// not watch it. A timer therefore asks the system. It exists after the end of the stream, while bytes wait unread, and if
/// the loop has refused the watch.
extension ConnectionCore {
    /// Starts the timer, if there is none. Call it when the stream has ended, and when the connection stops reading although
    /// input waits.
    func measureHalfClosed() {
        guard isOpen, !phase.isClosing, extras?.halfClosed == nil, let limit = halfClosedLimit else { return }
        let check = HalfClosedCheck(PeerClock(hasStreamEnded ? movement : nil))
        ensureExtras().halfClosed = check
        // Weak, because a timer must not keep the connection open.
        let core = UnsafeTransfer(Weak(self))
        check.timer = loop.scheduleChecks(within: limit) { core.value.object?.checkHalfClosed(limit) }
    }

    func endHalfClosedCheck() {
        extras?.halfClosed?.stop()
        extras?.halfClosed = nil
    }

    /// Whether the peer has ended its stream, even if unread bytes precede the end.
    var hasPeerEnded: Bool { hasStreamEnded || socket.hasPeerEnded }

    var hasStreamEnded: Bool { receiving.stream == .ended || receiving.stream == .endHeld }

    private var halfClosedLimit: Duration? {
        guard let timing = extras?.timing else { return ConnectionTimeouts.defaultHalfClosed }
        return timing.halfClosed
    }

    /// The bytes that have moved so far. `nil` after the connection has ended.
    private var openMovement: PeerWait? { isOpen ? movement : nil }

    private var movement: PeerWait {
        PeerWait(
            transferred: receivedTotal + sending.sent,
            unacknowledged: Int32(clamping: socket.unsentCount)
        )
    }

    /// In a pipe, bytes that move on the other connection count too: a slow peer there may need the bytes of this one.
    private func checkHalfClosed(_ limit: Duration) {
        guard let partner = extras?.partner?.object else { return checkHalfClosed(limit, nil) }
        if partner.loop === loop { return checkHalfClosed(limit, partner.core.value.openMovement) }
        let (core, own) = (UnsafeTransfer(Weak(self)), loop)
        partner.loop.execute {
            let movement = partner.core.value.openMovement
            own.execute { core.value.object?.checkHalfClosed(limit, movement) }
        }
    }

    private func checkHalfClosed(_ limit: Duration, _ partner: PeerWait?) {
        if isOpen, isWatchRefused, isPeeking { peek() }
        guard isOpen, let check = extras?.halfClosed else { return }
        let hasEnded = hasPeerEnded
        // A close has its own limits. A connection that reads notices the end itself.
        if phase.isClosing || !hasEnded && !isInputWaiting { return endHalfClosedCheck() }
        guard check.clock.hasReachedLimit(hasEnded && !delaysPeer ? movement.adding(partner) : nil) else { return }
        timeOut("the peer has ended its stream, and no byte has moved for \(limit)")
    }

    /// Whether bytes may wait that nothing receives now.
    var isInputWaiting: Bool {
        if isWatchRefused || isSuspended || hasUnreadReplies { return true }
        return receiving.stream == .unread || holdsTransformed || readerState == .paused
    }

    /// Whether no watch looks for the end, because the loop has refused it.
    private var isWatchRefused: Bool { watch == nil && watchKind == .refused }

    /// Whether this side is the reason that no byte moves: it has paused the receiver, and still wants the bytes of the peer.
    /// A receiver whose output is sent back to the peer needs a peer that reads. `share` hides where the output goes. Then a
    /// connection that sends any source counts as one that answers.
    private var delaysPeer: Bool {
        guard let subscription, readerState == .paused, !sending.isBlocked, !answersPeer else { return false }
        if let source = subscription.origin as? SourceSubscription { return !isSending(source) }
        return !subscription.origin.isShared || !isSendingSource
    }
}

extension Connection {
    /// Whether the peer has ended its stream or the connection has failed, even if unread bytes precede that. True after the
    /// connection has ended. Call it on the loop.
    package var hasPeerEnded: Bool { !core.value.isOpen || core.value.hasPeerEnded }

    /// The number of bytes received so far. Call it on the loop.
    package var receivedTotal: Int { core.value.receivedTotal }

    /// Whether the subscriber of `received` answers the peer, so that `ConnectionTimeouts.halfClosed` counts during its pauses.
    /// Only a subscriber that is not a source of `send(from:)` of this connection sets it. Use it on the loop.
    package var answersPeer: Bool {
        get { core.value.answersPeer }
        set { core.value.answersPeer = newValue }
    }

    /// Whether the protocol on this connection waits for bytes of the peer unless its subscription is paused. While it does
    /// not, `ConnectionTimeouts.readStalled` does not count, and `idle` only after the peer's end of stream. Use it on the loop.
    package var awaitsPeer: Bool {
        get { core.value.awaitsPeer }
        set { core.value.awaitsPeer = newValue }
    }

    /// Restarts `ConnectionTimeouts.halfClosed`, because a protocol has delivered a part of the bytes that it has received. Use
    /// it on the loop.
    package func didDeliver() { core.value.extras?.halfClosed?.clock.restart() }

    /// Lets the bytes that move on the other connection of a pipe count for `ConnectionTimeouts.halfClosed` of this one. The
    /// pipe retains both.
    func join(_ partner: Connection) {
        let (core, partner) = (core, UnsafeTransfer(Weak(partner)))
        loop.runOrExecute { core.value.ensureExtras().partner = partner.value }
    }
}
