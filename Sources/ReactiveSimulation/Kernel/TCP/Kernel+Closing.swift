// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSupport

extension Kernel {
    /// Ends the sending direction (shutdown(2) with `SHUT_WR`).
    mutating func shutdownWriting(_ socket: TCPSocket) -> Int32 {
        switch socket.phase {
        case .ended(.unconnected):
            socket.attempt.isShutDown = true
            return ENOTCONN
        case .fresh, .ended: return ENOTCONN
        case .listening: return 0
        case .connecting, .handshaking:
            end(socket, .unconnected, ECONNRESET)
            // The socket can be used again (`tcp_disconnect`).
            socket.phase = .fresh
            socket.attempt = TCPSocket.ConnectAttempt()
            detach(socket)
            socket.resetAddress()
            return 0
        case .connected:
            socket.attempt.isReported = true
            finish(socket)
            return 0
        }
    }

    private mutating func finish(_ socket: TCPSocket) {
        guard let outgoing = socket.outgoing, let incoming = socket.incoming, !outgoing.isFinished else { return }
        outgoing.isFinished = true
        socket.isActiveCloser = !incoming.hasEnded
        transmit(outgoing)
        socket.notify()
    }

    /// Closes a socket that no descriptor refers to any more (close(2)). Unread bytes reset the connection, as RFC 2525
    /// section 2.17 recommends.
    mutating func close(_ socket: TCPSocket) {
        socket.isOrphan = true
        switch socket.phase {
        case .fresh: releaseBinding(socket)
        case .listening(let queue): stopListening(socket, queue)
        case .connecting, .handshaking: end(socket, .vanished)
        case .connected:
            record(.closes, socket.host, peer: socket.outgoing?.direction.target)
            if socket.lingersZero || (socket.incoming?.readable ?? 0) > 0 {
                sendReset(from: socket)
                return end(socket, .aborted)
            }
            finish(socket)
            endIfComplete(socket)
        case .ended:
            releaseBinding(socket, at: socket.timeWaitEnd)
            detach(socket)
        }
    }

    private static var timeWait: Int64 { 60 * second }

    /// Ends the connection if both streams have ended and both sides know it.
    mutating func endIfComplete(_ socket: TCPSocket) {
        guard case .connected = socket.phase, let outgoing = socket.outgoing, outgoing.isEndAcknowledged else { return }
        if socket.incoming?.hasEnded == true { return end(socket, .complete) }
        // A closed socket waits for the peer's end of stream for 60 s (`tcp_fin_timeout`). After that the port is free.
        if socket.isOrphan, let binding = socket.binding {
            socket.waitingBinding = binding
            releaseBinding(socket, at: now + Self.timeWait)
        }
    }

    /// Ends a connection or an attempt.
    mutating func end(_ socket: TCPSocket, _ ending: TCPSocket.Ending, _ error: Int32 = 0) {
        if let timer = socket.attempt.timer {
            timeline.cancel(timer)
            socket.attempt.timer = nil
        }
        if let outgoing = socket.outgoing { disarmRetransmission(outgoing) }
        socket.phase = .ended(ending)
        socket.pendingError = error
        if case .complete = ending, socket.isActiveCloser { socket.timeWaitEnd = now + Self.timeWait }
        if let remote = socket.remote {
            let tuple = TupleTable.Tuple(local: socket.local, remote: remote)
            let tuples = hosts[socket.host]
            if let end = socket.timeWaitEnd {
                tuples.tuples.wait(tuple, until: end, now: now)
            } else {
                tuples.tuples.remove(tuple)
            }
        }
        if socket.isOrphan {
            releaseBinding(socket, at: socket.timeWaitEnd)
            // A reset ends the wait.
            if case .aborted = ending, let binding = socket.waitingBinding {
                withPorts(of: socket) { ports, _, _ in ports.remove(binding) }
            }
            socket.waitingBinding = nil
            return detach(socket)
        }
        if socket.binding?.isLocked != true { releaseBinding(socket, at: socket.timeWaitEnd) }
        socket.notify()
    }

    /// Releases the streams, which refer to both sockets. It breaks the reference cycle.
    func detach(_ socket: TCPSocket) {
        socket.outgoing = nil
        socket.incoming = nil
        socket.pair = nil
    }

    /// Sends a reset to the peer of a connection.
    mutating func sendReset(from socket: TCPSocket) {
        guard let pair = socket.pair else { return }
        let isClient = pair.client === socket
        sendReset(to: isClient ? pair.server : pair.client, pair, isClient ? pair.upstream : pair.downstream)
    }

    /// Sends a reset behind the segments of a stream. A lost reset is not repeated.
    mutating func sendReset(
        to target: TCPSocket,
        _ pair: StreamPair,
        _ stream: ByteStream?,
        isFault: Bool = false
    ) {
        guard let stream else { return }
        record(.resets, stream.direction.source, peer: stream.direction.target, isFault: isFault)
        send(.reset(target, pair), on: stream)
    }

    /// A reset arrives.
    mutating func receiveReset(_ socket: TCPSocket, _ pair: StreamPair) {
        guard socket.pair === pair, hosts[socket.host].isUp else { return }
        switch socket.phase {
        case .connecting: end(socket, .unconnected, ECONNREFUSED)
        case .handshaking: dropHandshake(socket)
        case .connected: end(socket, .aborted, socket.incoming?.hasEnded == true ? EPIPE : ECONNRESET)
        case .fresh, .listening, .ended: break
        }
    }

    /// Removes a socket of a host that crashes. The peer is not informed.
    mutating func vanish(_ socket: TCPSocket) {
        socket.isOrphan = true
        if let pair = socket.pair, case .connecting = socket.phase {
            timeline.add(.handshakeExpiry(pair.server), at: now + 63 * Self.second)
        }
        if case .listening(let queue) = socket.phase {
            while let waiting = queue.ready.popFirst() { vanish(waiting) }
            for server in queue.handshaking { vanish(server) }
            queue.handshaking.removeAll()
        }
        if let outgoing = socket.outgoing, outgoing.sent < outgoing.limit {
            // Bytes that have not been sent are lost.
            outgoing.isFinished = false
            outgoing.written = outgoing.sent
            outgoing.queue.truncate(to: outgoing.sent - outgoing.read)
        }
        end(socket, .vanished)
    }
}
