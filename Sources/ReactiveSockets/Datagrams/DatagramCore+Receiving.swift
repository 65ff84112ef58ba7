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
            case (_, let datagram?): deliver(datagram)
            case (.failed(let code), nil):
                let error = SocketError.system("cannot receive at \(name)", code)
                guard SocketError.leavesSocketOpen(code) else { return end(error) }
                errors.send(error)
                if SocketError.isExhaustion(code) { return waitForMemory() }
            default: return
            }
        }
    }

    private func receiveOne() -> (outcome: SystemSocket.Outcome, datagram: Datagram?) {
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
        guard case .count(let count) = outcome else { return (outcome, nil) }
        // Copy a small datagram. Otherwise a subscriber that keeps it would keep a whole slab.
        return (outcome, Datagram(bytes.compacted(), peer, isTruncated: count > room))
    }
}
