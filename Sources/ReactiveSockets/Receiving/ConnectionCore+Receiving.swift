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
        if let error = loop.disposedError { return sink.receive(termination: .failed(error)) }
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
        closeIfDone()
        withExtendedLifetime(last) {}
    }

    func readChunk() {
        if subscription == nil { return stopReadingOrPeek() }
        if !readerAcceptsChunk {
            // If the pause has not been reported yet, it will be soon. Until then the loop calls this method in each
            // turn.
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
