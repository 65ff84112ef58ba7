// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets
import ReactiveSupport

/// Datagram sockets. Datagrams arrive immediately, in order, and none is lost.
extension Kernel {
    /// Whether `target` receives from `sender`: it is not connected to another socket (`unix_may_send`).
    private func maySend(_ sender: UnixSocket, _ target: UnixSocket) -> Bool {
        target.peer == nil || target.peer === sender
    }

    mutating func connectDatagrams(_ socket: UnixSocket, _ address: SocketAddress) -> Int32 {
        switch find(address, for: socket) {
        case .failure(let failure): return failure.number
        case .success(let target):
            if !maySend(socket, target) { return EPERM }
            if let old = socket.peer, old !== target { disconnect(socket, from: old) }
            if socket.peer !== target { target.connectedSenders.append(Weak(socket)) }
            socket.peer = target
            socket.peerName = target.name
            return 0
        }
    }

    /// Removes the connection to a peer. The socket discards its queue, and a peer that is connected to it gets an
    /// error, because datagrams are lost (`unix_dgram_disconnected`).
    private func disconnect(_ socket: UnixSocket, from peer: UnixSocket) {
        leavePeer(socket)
        (socket.peer, socket.peerName) = (nil, nil)
        if socket.arrivals.isEmpty { return }
        discardArrivals(of: socket)
        if !peer.isClosed, peer.peer === socket {
            peer.pendingError = ECONNRESET
            peer.notify()
        }
    }

    /// Removes a socket from the list of its peer.
    func leavePeer(_ socket: UnixSocket) {
        socket.peer?.connectedSenders.removeAll { $0.object == nil || $0.object === socket }
    }

    /// Discards the queue, which refers to the senders.
    func discardArrivals(of socket: UnixSocket) {
        while let arrival = socket.arrivals.popFirst() { arrival.sender.release(arrival.memory) }
        for sender in socket.connectedSenders { sender.object?.notify() }
    }

    /// Sends a datagram to a name, or to the connected peer if it is nil.
    ///
    /// The order of the checks is that of `unix_dgram_sendmsg`.
    mutating func send(_ socket: UnixSocket, _ memory: UnsafeRawBufferPointer, to address: SocketAddress?) -> Int {
        if let address, !isValid(address) { return -Int(EINVAL) }
        if memory.count > Int(socket.options.sendBuffer) - 32 { return -Int(EMSGSIZE) }
        if socket.pendingError != 0 { return -Int(socket.takeError()) }
        if socket.isFinished { return -Int(EPIPE) }
        if !socket.hasRoom { return -Int(EAGAIN) }
        let target: UnixSocket
        if let address {
            switch find(address, for: socket) {
            case .failure(let failure): return -Int(failure.number)
            case .success(let found): target = found
            }
        } else if let peer = socket.peer {
            target = peer
        } else {
            return -Int(ENOTCONN)
        }
        if !maySend(socket, target) { return -Int(EPERM) }
        if target.isClosed {
            // The first call reports it, and the socket is no longer connected.
            disconnect(socket, from: target)
            return -Int(ECONNREFUSED)
        }
        if target.isFull(for: socket) { return -Int(EAGAIN) }
        let size = MessageMemory.unixDatagram(memory.count)
        unsafe target.arrivals.append(UnixSocket.Arrival(bytes: Array(memory), sender: socket, memory: size))
        socket.sentMemory += size
        target.notify()
        return memory.count
    }

    func receive(
        _ socket: UnixSocket,
        _ memory: UnsafeMutableRawBufferPointer
    ) -> (result: Int, peer: SocketAddress?) {
        if socket.pendingError != 0 { return (-Int(socket.takeError()), nil) }
        guard let first = socket.arrivals.popFirst() else { return (-Int(EAGAIN), nil) }
        unsafe Self.copy(first.bytes, into: memory)
        first.sender.release(first.memory)
        for sender in socket.connectedSenders { sender.object?.notify() }
        return (first.bytes.count, first.sender.name)
    }
}
