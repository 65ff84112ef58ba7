// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets
import ReactiveSupport

/// Datagram sockets. Datagrams arrive immediately, in order, and none is lost.
extension Kernel {
    /// Whether `target` receives from `sender`: it is connected to nobody else (`unix_may_send`).
    private func maySend(_ sender: UnixSocket, _ target: UnixSocket) -> Bool {
        target.peer == nil || target.peer === sender
    }

    mutating func connectDatagrams(_ socket: UnixSocket, _ address: SocketAddress) -> Int32 {
        switch find(address, for: socket) {
        case .failure(let failure): return failure.number
        case .success(let target):
            if !maySend(socket, target) { return EPERM }
            socket.peer = target
            socket.peerName = target.name
            return 0
        }
    }

    /// Sends a datagram to a name, or to the connected peer if it is nil.
    mutating func send(_ socket: UnixSocket, _ memory: UnsafeRawBufferPointer, to address: SocketAddress?) -> Int {
        let target: UnixSocket
        if socket.isFinished { return -Int(EPIPE) }
        if let address {
            switch find(address, for: socket) {
            case .failure(let failure): return -Int(failure.number)
            case .success(let found): target = found
            }
        } else {
            if socket.peerName == nil { return -Int(ENOTCONN) }
            guard let peer = socket.peer, !peer.isClosed else {
                // The first call reports it, and the socket is no longer connected.
                (socket.peer, socket.peerName) = (nil, nil)
                return -Int(ECONNREFUSED)
            }
            target = peer
        }
        if !maySend(socket, target) { return -Int(EPERM) }
        if memory.count > Int(socket.options.sendBuffer) - 32 { return -Int(EMSGSIZE) }
        if target.arrivals.count >= UnixSocket.datagramLimit {
            target.waitingSenders.append(Weak(socket))
            return -Int(EAGAIN)
        }
        unsafe target.arrivals.append(UnixSocket.Arrival(bytes: Array(memory), sender: socket))
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
        let senders = socket.waitingSenders
        socket.waitingSenders = []
        for sender in senders { sender.object?.notify() }
        return (first.bytes.count, first.sender.name)
    }
}
