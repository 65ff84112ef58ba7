import ReactiveCore
import ReactiveSignals
import ReactiveSupport

extension ConnectionCore {
    /// A chunk is at most this large while somebody keeps the chunks.
    private static let keptChunk = 16 * 1024

    func startReceiving(
        _ emitter: Emitter<Bytes, SocketError>,
        _ subscription: SignalSubscription,
        _ flow: ToldFlow
    ) {
        if subscription.isDisposed { return }
        if let failure { return emitter.fail(failure) }
        if hasReachedEnd { return emitter.complete() }
        if receiver != nil {
            return emitter.fail(SocketError(.alreadyReceiving, "somebody receives from \(peer) already"))
        }
        receiver = Receiver(emitter: emitter, subscription: subscription, flow: flow)
        resumeReceiving()
    }

    /// Pausing is only noted: the watch goes quiet at the next chunk that would have to wait, which saves two system calls
    /// where the pause is short.
    func receivingFlowChanged(_ subscription: SignalSubscription) {
        guard let receiver, receiver.subscription === subscription else { return }
        if !receiver.flow.isPaused, !fault(.resumeForgotten) { resumeReceiving() }
    }

    /// What a transformer has made already comes first, as work of its own: resuming never recurses (law 11).
    private func resumeReceiving() {
        guard endIsWaiting || !undelivered.isEmpty else { return updateWatch() }
        let core = Confined(self)
        loop.execute { core.value.deliverTransformed() }
    }

    func stopReceiving(_ subscription: SignalSubscription) {
        guard receiver?.subscription === subscription else { return }
        receiver = nil
        updateWatch()
    }

    func readChunk() {
        guard let receiver, !hasReachedEnd else { return updateWatch() }
        if receiver.subscription.isPaused, !fault(.readsWhilePaused) {
            // Not said yet: it will be soon, and until then the loop asks again in the next turn.
            if receiver.flow.isPaused { updateWatch() }
            return
        }
        if isTransformed, !undelivered.isEmpty { return deliverTransformed() }
        SlabCache.withCurrent { cache in
            take(receiveChunk(cache), for: receiver)
            // Asked when the chunk is gone from here, so that what keeps it is somebody else.
            chunksAreKept = !cache.isFree
        }
    }

    @inline(never)
    private func take(_ chunk: consuming Chunk, for receiver: Receiver) {
        switch consume chunk {
        case .bytes(let bytes):
            receivedTotal += bytes.count
            if !isTransformed { return deliver(bytes, to: receiver) }
            let failure = transform { transformer, out throws(SocketError) in try transformer.receive(bytes, &out) }
            if failure == nil { deliverTransformed() }
        case .nothing: break
        case .end:
            guard isTransformed else { return reachEnd() }
            endIsWaiting = true
            let failure = transform { transformer, out throws(SocketError) in try transformer.receiveEnd(&out) }
            if failure == nil { deliverTransformed() }
        case .failed where fault(.resetIsEnd): reachEnd()
        case .failed(let code): fail(.system("receiving from \(peer)", code))
        }
    }

    /// Hands bytes to whoever receives; what is sent meanwhile goes out in one call after it.
    func deliver(_ bytes: consuming Bytes, to receiver: Receiver) {
        isGathering = true
        receiver.emitter.send(consume bytes)
        isGathering = false
        if pendingCount > 0, !isBlocked, isOpen { flush() }
    }

    /// The peer's end, once everything before it has been taken.
    func reachEnd() {
        hasReachedEnd = true
        endIsWaiting = false
        let last = receiver.take()
        if !fault(.endUntold) { last?.emitter.complete() }
        closeIfDone()
    }

    private enum Chunk {
        case bytes(Bytes)
        case nothing
        case end
        case failed(Int32)
    }

    private func receiveChunk(_ cache: SlabCache) -> Chunk {
        var refusal: Int32 = 0
        var wouldBlock = false
        let limit = chunksAreKept ? Self.keptChunk : SlabCache.slabSize
        let (result, bytes) = cache.read(atMost: limit) { memory in
            switch socket.receive(memory) {
            case .count(let count): return count
            case .wouldBlock: wouldBlock = true
            case .failed(let code): refusal = code
            }
            return -1
        }
        if let bytes { return .bytes(bytes) }
        if wouldBlock { return .nothing }
        return result == 0 ? .end : .failed(refusal)
    }
}
