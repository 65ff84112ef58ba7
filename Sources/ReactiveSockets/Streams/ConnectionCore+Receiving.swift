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
        updateWatch()
    }

    /// Pausing is only noted: the watch goes quiet at the next chunk that would have to wait, which saves two system calls
    /// where the pause is short.
    func receivingFlowChanged(_ subscription: SignalSubscription) {
        guard let receiver, receiver.subscription === subscription else { return }
        if !receiver.flow.isPaused { updateWatch() }
    }

    func stopReceiving(_ subscription: SignalSubscription) {
        guard receiver?.subscription === subscription else { return }
        receiver = nil
        updateWatch()
    }

    func readChunk() {
        guard let receiver, !hasReachedEnd else { return updateWatch() }
        if receiver.subscription.isPaused {
            // Not said yet: it will be soon, and until then the loop asks again in the next turn.
            if receiver.flow.isPaused { updateWatch() }
            return
        }
        SlabCache.withCurrent { cache in
            deliver(receiveChunk(cache), to: receiver)
            // Asked when the chunk is gone from here, so that what keeps it is somebody else.
            chunksAreKept = !cache.isFree
        }
    }

    @inline(never)
    private func deliver(_ chunk: consuming Chunk, to receiver: Receiver) {
        switch consume chunk {
        case .bytes(let bytes): receiver.emitter.send(bytes)
        case .nothing: break
        case .end:
            hasReachedEnd = true
            self.receiver = nil
            receiver.emitter.complete()
            closeIfDone()
        case .failed(let code): fail(.system("receiving from \(peer)", code))
        }
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
