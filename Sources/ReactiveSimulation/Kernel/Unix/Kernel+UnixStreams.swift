// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets
import ReactiveSupport

/// Stream sockets. Bytes arrive immediately: both sides are on one host.
extension Kernel {
    mutating func listen(_ socket: UnixSocket, backlog: Int32) -> Int32 {
        if socket.kind == .datagram { return EOPNOTSUPP }
        switch socket.phase {
        case .fresh, .listening:
            if socket.name == nil { return EINVAL }
            socket.phase = .listening(backlog: backlog < 0 ? 4_096 : Int(min(backlog, 4_096)))
            return 0
        case .connected, .peerClosed: return EINVAL
        }
    }

    /// Connects a Unix socket of either kind. It never waits.
    mutating func connect(_ socket: UnixSocket, _ address: SocketAddress) -> Int32 {
        if socket.kind == .datagram { return connectDatagrams(socket, address) }
        let listener: UnixSocket
        switch find(address, for: socket) {
        case .failure(let failure): return failure.number
        case .success(let found): listener = found
        }
        guard case .listening(let backlog) = listener.phase else { return ECONNREFUSED }
        if listener.waiting.count > backlog { return EAGAIN }
        switch socket.phase {
        case .fresh: break
        case .listening: return EINVAL
        case .connected, .peerClosed: return EISCONN
        }
        let server = UnixSocket(host: socket.host, .stream)
        (server.phase, socket.phase) = (.connected, .connected)
        (server.name, server.peerName, socket.peerName) = (listener.name, socket.name, listener.name)
        (server.peer, socket.peer) = (socket, server)
        listener.waiting.append(server)
        record(.connects, socket.host, "\(address)")
        listener.notify()
        socket.notify()
        return 0
    }

    mutating func accept(_ socket: UnixSocket) -> (result: Int32, peer: SocketAddress?) {
        if socket.kind == .datagram { return (-EOPNOTSUPP, nil) }
        guard case .listening = socket.phase else { return (-EINVAL, nil) }
        guard let accepted = socket.waiting.popFirst() else { return (-EAGAIN, nil) }
        return (hosts[socket.host].descriptors.open(accepted), accepted.remoteAddress ?? .unnamed)
    }

    mutating func send(_ socket: UnixSocket, _ memory: UnsafeRawBufferPointer) -> Int {
        switch socket.phase {
        case .fresh, .listening: return -Int(ENOTCONN)
        case .peerClosed: return -Int(EPIPE)
        case .connected: if socket.isFinished { return -Int(EPIPE) }
        }
        guard let peer = socket.peer, !peer.isClosed else { return -Int(EPIPE) }
        if memory.count == 0 { return 0 }
        let limit = MessageMemory.unixSegment(sendBuffer: Int(socket.options.sendBuffer))
        var sent = 0
        while sent < memory.count, socket.hasRoom {
            let segment = UnixSocket.Segment(min(limit, memory.count - sent))
            unsafe peer.incoming.append(UnsafeRawBufferPointer(rebasing: memory[sent..<sent + segment.count]))
            peer.segments.append(segment)
            socket.sentMemory += segment.memory
            sent += segment.count
        }
        if sent == 0 { return -Int(EAGAIN) }
        peer.notify()
        return sent
    }

    /// The order of the checks is that of `unix_stream_read_generic`.
    mutating func receive(_ socket: UnixSocket, _ memory: UnsafeMutableRawBufferPointer, peeks: Bool) -> Int {
        switch socket.phase {
        case .fresh, .listening: return -Int(EINVAL)
        case .connected, .peerClosed: break
        }
        var count = min(socket.incoming.count, memory.count)
        guard count > 0 else {
            if socket.pendingError != 0 { return -Int(socket.takeError()) }
            return socket.hasEnded || socket.incoming.count > 0 ? 0 : -Int(EAGAIN)
        }
        if count > 1, random.happens(tuning.partialReads) { count = 1 + random.below(count) }
        unsafe socket.incoming.copy(into: UnsafeMutableRawBufferPointer(rebasing: memory[..<count]))
        if peeks { return count }
        socket.incoming.removeFirst(count)
        socket.receivedOfFirst += count
        while let first = socket.segments.first, socket.receivedOfFirst >= first.count {
            socket.receivedOfFirst -= first.count
            _ = socket.segments.popFirst()
            socket.peer?.release(first.memory)
        }
        return count
    }

    mutating func shutdownWriting(_ socket: UnixSocket) -> Int32 {
        socket.isFinished = true
        if case .connected = socket.phase, socket.kind == .stream {
            socket.peer?.hasEnded = true
            socket.peer?.notify()
        }
        socket.notify()
        return 0
    }
}
