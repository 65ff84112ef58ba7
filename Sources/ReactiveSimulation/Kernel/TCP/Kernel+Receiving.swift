// SPDX-License-Identifier: MIT
import Glibc

extension Kernel {
    /// Reads bytes (recv(2)). Returns their number, 0 at the end of stream, or a negative error number.
    ///
    /// The order of the checks is that of `tcp_recvmsg_locked`: bytes that have arrived can be read after a reset.
    mutating func receive(_ socket: TCPSocket, _ memory: UnsafeMutableRawBufferPointer, peeks: Bool) -> Int {
        if let stream = socket.incoming {
            let available = stream.readable
            if available > 0 { return unsafe read(stream, min(available, memory.count), memory, peeks) }
            if stream.hasEnded { return 0 }
        }
        if socket.pendingError != 0 { return -Int(socket.takeError()) }
        switch socket.phase {
        case .fresh, .listening: return -Int(ENOTCONN)
        case .connecting, .handshaking, .connected: return memory.count == 0 ? 0 : -Int(EAGAIN)
        case .ended: return 0
        }
    }

    private mutating func read(
        _ stream: ByteStream,
        _ available: Int,
        _ memory: UnsafeMutableRawBufferPointer,
        _ peeks: Bool
    ) -> Int {
        var count = available
        if count > 1, random.happens(tuning.partialReads) { count = 1 + random.below(count) }
        unsafe stream.queue.copy(into: UnsafeMutableRawBufferPointer(rebasing: memory[..<count]))
        if peeks { return count }
        stream.queue.removeFirst(count)
        stream.read += count
        updateWindow(stream)
        return count
    }

    /// Sends a window update if the window is small and has become much larger (RFC 9293 section 3.8.6.2.2).
    private mutating func updateWindow(_ stream: ByteStream) {
        let capacity = stream.receiver.receiveCapacity
        let isSmall = stream.advertisedEdge - stream.received < capacity / 2
        guard isSmall, stream.read + capacity - stream.advertisedEdge >= capacity / 4 else { return }
        if case .connected = stream.receiver.phase, !stream.hasEnded { acknowledge(stream) }
    }
}
