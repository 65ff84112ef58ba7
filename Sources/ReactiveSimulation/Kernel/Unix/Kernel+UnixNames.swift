// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets
import ReactiveSupport

extension Kernel {
    /// Gives a Unix socket a name (bind(2), unix(7)). A path creates a file.
    mutating func bind(_ socket: UnixSocket, _ address: SocketAddress) -> Int32 {
        if address.family != .unix { return EINVAL }
        let host = hosts[socket.host]
        if let path = address.path {
            if !host.hasFolder(of: path) { return ENOENT }
            // Linux creates the file before it looks at the socket.
            if host.unixFiles[path] != nil { return EADDRINUSE }
            if socket.name != nil { return EINVAL }
            host.lastFileNumber += 1
            host.unixFiles[path] = UnixFile(number: host.lastFileNumber, socket: socket)
        } else if address.bytes.isEmpty || socket.name != nil {
            return EINVAL
        } else {
            if host.abstractNames[address]?.object?.isClosed == false { return EADDRINUSE }
            host.abstractNames[address] = Weak(socket)
        }
        socket.name = address
        return 0
    }

    /// The socket with a name, or the error number of a call that looks for it.
    func find(_ address: SocketAddress, for socket: UnixSocket) -> Result<UnixSocket, ErrorNumber> {
        if !isValid(address) { return .failure(ErrorNumber(EINVAL)) }
        let host = hosts[socket.host]
        guard let path = address.path else {
            // Sockets of different kinds may have the same abstract name.
            guard let found = host.abstractNames[address]?.object, !found.isClosed, found.kind == socket.kind else {
                return .failure(ErrorNumber(ECONNREFUSED))
            }
            return .success(found)
        }
        guard let file = host.unixFiles[path] else { return .failure(ErrorNumber(ENOENT)) }
        guard let found = file.socket, !found.isClosed else { return .failure(ErrorNumber(ECONNREFUSED)) }
        return found.kind == socket.kind ? .success(found) : .failure(ErrorNumber(EPROTOTYPE))
    }

    /// Whether an address can be that of a socket.
    func isValid(_ address: SocketAddress) -> Bool { address.family == .unix && !address.bytes.isEmpty }

    /// Closes a Unix socket. Its file stays.
    mutating func close(_ socket: UnixSocket) {
        socket.isClosed = true
        defer { socket.peer = nil }
        if let name = socket.name, hosts[socket.host].abstractNames[name]?.object === socket {
            hosts[socket.host].abstractNames[name] = nil
        }
        if socket.kind == .datagram {
            discardArrivals(of: socket)
            leavePeer(socket)
            socket.connectedSenders = []
            return
        }
        discardSegments(of: socket)
        while let waiting = socket.waiting.popFirst() {
            waiting.isClosed = true
            discardSegments(of: waiting)
            endPeer(of: waiting, isReset: true)
            waiting.peer = nil
        }
        if case .connected = socket.phase { endPeer(of: socket, isReset: socket.incoming.count > 0) }
    }

    /// Frees the memory of the bytes that a stream has not received.
    private func discardSegments(of socket: UnixSocket) {
        while let segment = socket.segments.popFirst() { socket.peer?.release(segment.memory) }
    }

    /// Removes a socket of a host that crashes. Its peer is on the same host.
    mutating func vanish(_ socket: UnixSocket) {
        socket.isClosed = true
        socket.arrivals = FIFO()
        socket.connectedSenders = []
        socket.peer = nil
        while let waiting = socket.waiting.popFirst() { waiting.peer = nil }
    }

    /// Notifies the peer of a stream socket that the socket has been closed.
    private func endPeer(of socket: UnixSocket, isReset: Bool) {
        guard let peer = socket.peer, !peer.isClosed else { return }
        peer.phase = .peerClosed
        peer.hasEnded = true
        // Unread bytes are lost. The peer gets one error for that (`unix_release_sock`).
        if isReset { peer.pendingError = ECONNRESET }
        peer.notify()
    }
}
