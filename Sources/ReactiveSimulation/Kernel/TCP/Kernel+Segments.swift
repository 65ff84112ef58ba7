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

    /// Appends bytes to the send buffer (send(2)). Returns the number of bytes, or a negative error number.
    mutating func send(_ socket: TCPSocket, _ memory: UnsafeRawBufferPointer) -> Int {
        guard case .connected = socket.phase, let stream = socket.outgoing else {
            if socket.pendingError != 0 { return -Int(socket.takeError()) }
            if case .connecting = socket.phase { return -Int(EAGAIN) }
            return -Int(EPIPE)
        }
        if stream.isFinished { return -Int(EPIPE) }
        if memory.count == 0 { return 0 }
        let free = socket.sendCapacity - stream.unacknowledged
        if free <= 0 { return -Int(EAGAIN) }
        var count = memory.count
        if count > free {
            // A real kernel counts its own structures too, so programs cannot predict the number.
            count = free - random.below(free / 4 + 1)
        }
        unsafe stream.queue.append(UnsafeRawBufferPointer(rebasing: memory[..<count]))
        stream.written += count
        transmit(stream)
        return count
    }

    /// The largest segment. Linux passes segments of this size to the network card and to the loopback interface.
    private static var largestSegment: Int { 65_536 }

    /// Sends everything that the peer's window permits.
    mutating func transmit(_ stream: ByteStream) {
        guard case .idle = stream.retransmission else { return }
        while stream.sent < stream.limit {
            // The end of stream needs no room.
            let permitted = stream.written <= stream.edge ? stream.limit : stream.edge
            var count = min(permitted - stream.sent, Self.largestSegment)
            if count <= 0 { return }
            if count > 1, random.happens(tuning.segmentation) { count = 1 + random.below(count) }
            stream.sent += count
            if !sendSegment(stream) { return }
        }
    }

    /// Sends the segment that ends at `sent`. Returns false if it is lost.
    @discardableResult
    private mutating func sendSegment(_ stream: ByteStream) -> Bool {
        record(
            stream.isFinished && stream.sent > stream.written ? .finishes : .sends,
            stream.direction.source,
            peer: stream.direction.target,
            count: min(stream.sent, stream.written) - min(stream.received, stream.written)
        )
        if send(.segment(stream, end: stream.sent), on: stream, count: stream.sent - stream.received) { return true }
        record(.loses, stream.direction.source, peer: stream.direction.target, isFault: true)
        armRetransmission(stream)
        return false
    }

    /// Sends a packet of `count` bytes behind the earlier ones of a stream. Returns false if it is lost.
    @discardableResult
    mutating func send(_ packet: KernelEvent, on stream: ByteStream, count: Int = 0) -> Bool {
        guard let time = arrival(stream.direction, count: count) else { return false }
        stream.lastArrival = max(time, stream.lastArrival)
        timeline.add(packet, at: stream.lastArrival)
        return true
    }

    /// A segment arrives at the receiver.
    mutating func receiveSegment(_ stream: ByteStream, end: Int) {
        let receiver = stream.receiver
        if !hosts[receiver.host].isUp { return armRetransmission(stream) }
        // The acknowledgement of the SYN-ACK is also part of the first segment.
        if case .handshaking = receiver.phase { confirm(receiver) }
        if random.happens(links[stream.direction].conditions.reset) { return resetBothSides(of: stream) }
        let isNew = end > stream.received
        switch receiver.phase {
        case .connected where receiver.incoming === stream:
            if receiver.isOrphan, min(end, stream.written) > stream.received {
                // No descriptor is left to read the bytes.
                sendReset(from: receiver)
                return self.end(receiver, .aborted)
            }
            if isNew {
                trace.note(1, receiver.host, receiver.descriptor, end)
                stream.received = end
                receiver.notify()
            }
            acknowledge(stream)
            endIfComplete(receiver)
        case .ended(.complete) where !isNew: acknowledge(stream)
        default:
            if let pair = stream.sender.pair { sendReset(to: stream.sender, pair, reverse(stream)) }
        }
    }

    /// Resets a connection as a middlebox does: each side receives a reset.
    private mutating func resetBothSides(of stream: ByteStream) {
        guard let pair = stream.sender.pair, case .connected = stream.receiver.phase else { return }
        sendReset(to: stream.sender, pair, reverse(stream), isFault: true)
        receiveReset(stream.receiver, pair)
    }

    /// The other direction of a stream, or `nil` if the sender's socket has another connection by now.
    private func reverse(_ stream: ByteStream) -> ByteStream? {
        guard let pair = stream.sender.pair else { return nil }
        if pair.upstream === stream { return pair.downstream }
        return pair.downstream === stream ? pair.upstream : nil
    }

    /// Sends an acknowledgement of everything that has been received, with the present window.
    mutating func acknowledge(_ stream: ByteStream) {
        let edge = max(stream.advertisedEdge, stream.read + stream.receiver.receiveCapacity)
        guard let time = arrival(stream.direction.reversed) else { return armRetransmission(stream) }
        stream.advertisedEdge = edge
        timeline.add(.acknowledgement(stream, end: stream.received, edge: edge), at: time)
    }

    /// An acknowledgement arrives at the sender.
    mutating func receiveAcknowledgement(_ stream: ByteStream, end: Int, edge: Int) {
        let sender = stream.sender
        guard sender.outgoing === stream, case .connected = sender.phase else { return }
        let wasWritable = sender.isWritable(stream)
        let isProgress = end > stream.acknowledged || edge > stream.edge
        stream.acknowledged = max(stream.acknowledged, end)
        stream.edge = max(stream.edge, edge)
        if isProgress || stream.acknowledged == stream.sent { disarmRetransmission(stream) }
        if isProgress {
            if stream.acknowledged < stream.sent, stream.lastArrival <= now { sendSegment(stream) }
            transmit(stream)
        }
        if !wasWritable, sender.isWritable(stream) { sender.notify() }
        endIfComplete(sender)
    }

    // MARK: Retransmissions

    private static var firstTimeout: Int64 { 200_000_000 }
    private static var largestTimeout: Int64 { 120 * second }
    /// The number of retransmissions before the connection fails (`tcp_retries2`): after 924 s.
    private static var largestCount: Int { 15 }

    /// Starts the retransmission timer after a loss, unless it is running.
    mutating func armRetransmission(_ stream: ByteStream) {
        guard case .idle = stream.retransmission, case .connected = stream.sender.phase else { return }
        arm(stream, attempt: 0, since: now)
    }

    mutating func disarmRetransmission(_ stream: ByteStream) {
        if case .armed(_, _, let timer) = stream.retransmission {
            timeline.cancel(timer)
            stream.retransmission = .idle
        }
    }

    /// The timer expires: everything that has been sent is sent again.
    mutating func retransmit(_ stream: ByteStream) {
        guard case .armed(let attempt, let since, _) = stream.retransmission else { return }
        stream.retransmission = .idle
        let sender = stream.sender
        guard case .connected = sender.phase else { return }
        let userTimeout = Int64(sender.options.userTimeout) * 1_000_000
        if attempt >= Self.largestCount || userTimeout > 0 && now - since >= userTimeout {
            record(.times, sender.host, peer: stream.direction.target)
            return end(sender, .aborted, ETIMEDOUT)
        }
        arm(stream, attempt: attempt + 1, since: since)
        // The timer stays armed until an acknowledgement arrives.
        send(.segment(stream, end: stream.sent), on: stream, count: stream.sent - stream.acknowledged)
    }

    private mutating func arm(_ stream: ByteStream, attempt: Int, since: Int64) {
        var delay = min(Self.firstTimeout << Int64(min(attempt, 20)), Self.largestTimeout)
        let userTimeout = Int64(stream.sender.options.userTimeout) * 1_000_000
        if userTimeout > 0 { delay = min(delay, max(0, since + userTimeout - now)) }
        let timer = timeline.add(.retransmission(stream), at: now + delay)
        stream.retransmission = .armed(attempt: attempt, since: since, timer: timer)
    }
}
