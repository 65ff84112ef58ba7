// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSupport

extension DatagramCore {
    private static let datagramsPerTurn = 32

    var alreadyReceiving: SocketError {
        SocketError(.alreadyReceiving, "cannot receive at \(name): `received` already has a subscriber")
    }

    func demandChanged() { updateWatch() }

    func receiveSome() {
        for _ in 0..<Self.datagramsPerTurn {
            guard isOpen else { return }
            // Not every pause is reported: one that follows a resume immediately may cancel it.
            if !acceptsValues { return updateWatch() }
            switch receiveOne() {
            case .received(let datagram): deliver(datagram)
            case .nothing: return
            case .failed(let code):
                let error = SocketError.system("cannot receive at \(name)", code)
                guard SocketError.leavesSocketOpen(code) else { return end(error) }
                errors.send(error)
                if SocketError.isExhaustion(code) { return waitForMemory() }
            }
        }
    }

    private enum ReadResult {
        case received(Datagram)
        case nothing
        case failed(Int32)
    }

    private func receiveOne() -> ReadResult {
        var outcome = SystemSocket.Outcome.wouldBlock
        var peer: SocketAddress?
        // Safe: the result never exceeds the size of `memory`.
        let receive = { [socket] (memory: UnsafeMutableRawBufferPointer) -> Int in
            (outcome, peer) = unsafe socket.receiveDatagram(memory)
            guard case .count(let count) = outcome else { return -1 }
            return min(count, memory.count)
        }
        // With a large limit, allocate only as much as the next datagram needs.
        let isLong = maximumSize > SlabCache.slabSize
        let room = isLong ? min(maximumSize, max(SlabCache.slabSize, socket.readableCount)) : maximumSize
        let bytes =
            if isLong {
                unsafe Bytes(capacity: room) { memory in unsafe max(0, receive(memory)) }
            } else {
                SlabCache.withCurrent { cache in
                    unsafe cache.read(atMost: maximumSize, atLeast: maximumSize, receive).bytes ?? Bytes()
                }
            }
        switch outcome {
        case .count(let count):
            // Copy a small datagram. Otherwise a subscriber that keeps it would keep a whole slab.
            return .received(Datagram(bytes.compacted(), peer, isTruncated: count > room))
        case .wouldBlock: return .nothing
        case .failed(let code): return .failed(code)
        }
    }
}
