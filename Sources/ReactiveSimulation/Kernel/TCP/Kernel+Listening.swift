// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets
import ReactiveSupport

extension Kernel {
    /// Makes a socket listen, or changes its backlog (listen(2)).
    mutating func listen(_ socket: TCPSocket, backlog: Int32) -> Int32 {
        // A negative backlog is a large unsigned one in Linux.
        let limit = backlog < 0 ? Self.largestBacklog : min(Int(backlog), Self.largestBacklog)
        switch socket.phase {
        case .listening(let queue):
            queue.backlog = limit
            return 0
        case .fresh: break
        // After a failed attempt, another call of `connect` makes the socket usable again.
        case .connecting, .handshaking, .connected, .ended: return EINVAL
        }
        // A failed attempt to connect has released its port.
        if socket.binding == nil, !claim(socket, Endpoint(socket.local.address, 0)) {
            return EADDRINUSE
        }
        guard let binding = socket.binding else { return EADDRINUSE }
        // Two sockets may share an address until one of them listens.
        if hosts[socket.host].streamPorts.conflicts(binding, port: binding.port, now: now) { return EADDRINUSE }
        hosts[socket.host].streamPorts.listen(binding)
        socket.phase = .listening(ListenQueue(backlog: limit))
        return 0
    }

    /// `net.core.somaxconn`.
    private static var largestBacklog: Int { 4_096 }

    /// Takes the oldest complete connection (accept(2)). Call it only if the host has a free descriptor.
    mutating func accept(_ socket: TCPSocket) -> (result: Int32, peer: SocketAddress?) {
        guard case .listening(let queue) = socket.phase else { return (-EINVAL, nil) }
        guard let accepted = queue.ready.popFirst() else { return (-EAGAIN, nil) }
        let descriptor = hosts[socket.host].descriptors.open(accepted)
        accepted.attempt.isReported = true
        record(.accepts, socket.host, peer: accepted.pair?.client.host, "\(accepted.local.port)")
        return (descriptor, accepted.remote?.socketAddress(accepted.family))
    }

    /// The listening socket for a SYN. A more specific address has precedence. The seed picks a socket of a group
    /// (`SO_REUSEPORT`).
    mutating func listener(at target: Endpoint, on host: Int) -> TCPSocket? {
        var best: [TCPSocket] = []
        var precision = -1
        for binding in hosts[host].streamPorts.listeners(at: target.port)
        where binding.precision >= precision && binding.accepts(target.address) {
            guard let socket = binding.socket as? TCPSocket, socket.isListening else { continue }
            if binding.precision > precision { best.removeAll() }
            precision = binding.precision
            best.append(socket)
        }
        return best.count < 2 ? best.first : best[random.below(best.count)]
    }

    /// Creates the server's side of a connection whose SYN has arrived.
    mutating func makeServer(of client: TCPSocket, _ listener: TCPSocket, _ local: Endpoint) -> StreamPair {
        let server = TCPSocket(host: listener.host, listener.family, listener.options)
        server.phase = .handshaking(listener: listener)
        server.local = local
        server.remote = client.local
        // It does not count as bound by a program, so the port is free again when the connection has ended.
        let binding = Binding(server, local, isBound: false)
        server.binding = binding
        let host = hosts[listener.host]
        host.streamPorts.insert(binding)
        host.tuples.insert(TupleTable.Tuple(local: local, remote: client.local))
        let pair = StreamPair(client: client, server: server)
        server.attach(pair)
        return pair
    }

    /// Completes the handshake on the server's side.
    mutating func confirm(_ server: TCPSocket) {
        guard case .handshaking(let listener) = server.phase else { return }
        guard case .listening(let queue) = listener.phase else {
            sendReset(from: server)
            return end(server, .aborted)
        }
        server.phase = .connected
        queue.handshaking.removeAll { $0 === server }
        queue.ready.append(server)
        listener.notify()
    }

    /// Drops a connection whose handshake is not complete.
    mutating func dropHandshake(_ server: TCPSocket) {
        guard case .handshaking(let listener) = server.phase else { return }
        if case .listening(let queue) = listener.phase { queue.handshaking.removeAll { $0 === server } }
        server.isOrphan = true
        end(server, .aborted)
    }

    /// Stops listening. Connections that no call has accepted are reset.
    mutating func stopListening(_ socket: TCPSocket, _ queue: ListenQueue) {
        socket.phase = .ended(.vanished)
        releaseBinding(socket)
        while let waiting = queue.ready.popFirst() {
            waiting.isOrphan = true
            if waiting.isConnected { sendReset(from: waiting) }
            end(waiting, .aborted)
        }
        for server in queue.handshaking {
            sendReset(from: server)
            server.isOrphan = true
            end(server, .aborted)
        }
        queue.handshaking.removeAll()
    }
}
