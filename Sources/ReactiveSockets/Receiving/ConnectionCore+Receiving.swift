import ReactiveCore
import ReactiveSignals
import ReactiveSupport

extension ConnectionCore {
    /// Subscribes: the whole of ``Connection/received``. Any thread.
    static func receive(
        _ core: UnsafeTransfer<ConnectionCore>,
        _ sink: Sink<Bytes, SocketError>,
        _ subscription: SignalSubscription
    ) {
        if subscription.isDisposed { return }
        let loop = core.value.loop
        if let error = loop.disposedError { return sink.receive(termination: .failed(error)) }
        // One reference, and so the closure is no memory of its own. Which subscription it was the connection sees. First, so that
        // what it sees of a pause when it starts it is told the end of; an end that comes before it starts it sees there.
        subscription.onChange { change in
            if change == .over { core.value.readerEnded() } else { core.value.scheduleFlowChange() }
        }
        // Not `runOrExecute`: nearly always it is here, and needs no closure.
        if loop.isCurrent {
            core.value.startReceiving(Reader(sink: sink, subscription: subscription))
        } else {
            let reader = UnsafeTransfer(Reader(sink: sink, subscription: subscription))
            loop.execute { core.value.startReceiving(reader.value) }
        }
    }

    private func scheduleFlowChange() {
        let core = UnsafeTransfer(self)
        loop.runOrExecute { core.value.receivingFlowChanged() }
    }

    private func readerEnded() {
        let core = UnsafeTransfer(self)
        loop.runOrExecute { core.value.dropEndedReader() }
    }

    private func startReceiving(_ reader: Reader) {
        if reader.subscription.isDisposed { return }
        if let failure { return reader.end(.failed(failure)) }
        if receiving.hasEnded { return reader.end(.completed) }
        if let subscription, !subscription.isDisposed {
            let error = SocketError(.alreadyReceiving, "the connection with \(peer) already has a receiver")
            return reader.end(.failed(error))
        }
        let last = takeReader()
        receiving.resume()
        setReader(reader)
        resumeReceiving()
        withExtendedLifetime(last) {}
    }

    /// Pausing is only noted: the watch goes quiet at the next chunk that would have to wait, which saves two system calls
    /// where the pause is short.
    private func receivingFlowChanged() {
        guard let subscription, !subscription.isPauseReported else { return }
        receiving.resume()
        resumeReceiving()
    }

    /// Transformed bytes that wait are delivered first, in a job of their own: resuming never recurses (law 11).
    private func resumeReceiving() {
        guard receiving.stream == .endHeld || holdsTransformed else { return updateWatch() }
        let core = UnsafeTransfer(self)
        loop.execute { core.value.deliverTransformed() }
    }

    private func dropEndedReader() {
        guard let subscription, subscription.isDisposed else { return }
        // Gone only when everything is in order: what it holds may ask for this again while it goes.
        let last = takeReader()
        updateWatch()
        withExtendedLifetime(last) {}
    }

    func readChunk() {
        if subscription == nil { return peek() }
        if !takesChunks {
            // Not said yet: it will be soon, and until then the loop asks again in the next turn.
            if subscription?.isPauseReported == true { peek() }
            return
        }
        if holdsTransformed { return deliverTransformed() }
        SlabCache.withCurrent { cache in
            receiveChunk(cache)
            // The connection has released the chunk: if it is still retained, the application keeps it.
            receiving.delivered(isKept: !cache.isFree)
        }
    }

    @inline(__always)
    private func receiveChunk(_ cache: SlabCache) {
        let limit = receiving.chunkLimit.byteCount
        // Not by way of `self`, which the closure would hold.
        let socket = socket
        var refusal: Int32 = 0
        let (count, bytes) = unsafe cache.read(atMost: limit) { memory in
            switch unsafe socket.receive(memory) {
            case .count(let count): return count
            case .wouldBlock: break
            case .failed(let code): refusal = code
            }
            return -1
        }
        switch consume bytes {
        case .some(let bytes):
            receivedTotal += count
            if isTransformed { takeTransformed(bytes) } else { deliver(bytes) }
        case .none:
            if count == 0 { takeEnd() } else if refusal != 0 { takeRefusal(refusal) }
        }
    }

    @inline(never)
    private func takeTransformed(_ bytes: Bytes) {
        let failure = transform { transformer, out throws(SocketError) in try transformer.receive(bytes, &out) }
        if failure == nil { deliverTransformed() }
    }

    @inline(never)
    private func takeEnd() {
        guard isTransformed else { return reachEnd() }
        receiving.holdEnd()
        let failure = transform { transformer, out throws(SocketError) in try transformer.receiveEnd(&out) }
        if failure == nil { deliverTransformed() }
    }

    @inline(never)
    private func takeRefusal(_ code: Int32) {
        fail(.system("receiving from \(peer)", code))
    }

    /// Delivers bytes to the reader. One call writes the small buffers that are sent during the delivery.
    func deliver(_ bytes: consuming Bytes) {
        // Retained until the delivery returns: the reader may be removed during it.
        guard let sink else { return }
        receiving.beginDelivery()
        sink.receive(bytes)
        if receiving.endDelivery() { terminateLate() }
        switch sending.waiting {
        case .nothing, .blocked: break
        case .oneBuffer: sendGathered()
        case .backlog: flush()
        }
    }

    /// Terminates a reader that has been removed: now, or when the current delivery returns (law 2).
    func deliverTermination(_ termination: Termination<SocketError>, to reader: Reader) {
        guard receiving.defersTermination() else { return reader.end(termination) }
        neededExtras.lateTermination = (reader, termination)
    }

    @inline(never)
    private func terminateLate() {
        guard let (reader, termination) = extras?.lateTermination.take() else { return }
        reader.end(termination)
    }

    /// The end of the peer's stream, once everything before it has been received.
    func reachEnd() {
        receiving.reachEnd()
        let last = takeReader()
        if let last { deliverTermination(.completed, to: last) }
        notifyStreamEndObservers()
        closeIfDone()
    }
}
