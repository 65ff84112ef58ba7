// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets
import ReactiveSupport

/// A TCP socket: RFC 9293 as a program sees it, with Linux's results.
///
/// Left out: sequence numbers, congestion control, delayed acknowledgements, urgent data, fast open, SYN cookies, the
/// process's memory limits, and the sizes of the kernel's own structures, which count against real buffers.
final class TCPSocket: IPSocket {
    /// The states of RFC 9293, as far as calls can distinguish them. The half-closed states follow from the streams.
    enum Phase {
        case fresh
        case listening(ListenQueue)
        /// A SYN has been sent.
        case connecting
        /// A SYN has arrived for `listener`, and the handshake is not complete.
        case handshaking(listener: TCPSocket)
        case connected
        case ended(Ending)
    }

    /// How a connection has ended.
    enum Ending {
        /// Both sides have ended their streams, and both know it.
        case complete
        /// A reset or a time limit has ended it.
        case aborted
        /// The attempt to connect has failed.
        case unconnected
        /// The host has crashed, or the socket was closed before it was connected.
        case vanished
    }

    var phase = Phase.fresh
    /// The connection, from the arrival of the SYN at the server.
    var pair: StreamPair?
    var outgoing: ByteStream?
    var incoming: ByteStream?
    /// Whether the program has closed the descriptor.
    var isOrphan = false
    /// Whether this side has ended its stream before the other one, and so gets the state TIME_WAIT.
    var isActiveCloser = false
    /// The end of TIME_WAIT, once the connection is in it.
    var timeWaitEnd: Int64?
    var attempt = ConnectAttempt()

    /// The state of a connection attempt.
    struct ConnectAttempt {
        /// The host of the peer's address, or nil if no host has it.
        var target: Int?
        /// Whether every SYN of the attempt is lost.
        var isBlackHoled = false
        /// The number of SYN retransmissions.
        var retries = 0
        var timer: Timeline.Entry?
        /// Whether `connect` has reported the success. The first call after it returns 0, and later ones `EISCONN`.
        var isReported = false
        /// Whether `shutdown` was called after the attempt had failed. The socket can no longer be used.
        var isShutDown = false
    }

    init(host: Int, _ family: SocketAddress.Family, _ options: SocketOptions? = nil) {
        super.init(host: host, .stream, family, options ?? SocketOptions(.stream, family))
    }

    /// The number of bytes that the send buffer holds. Linux counts its own structures too.
    var sendCapacity: Int { Int(options.sendBuffer) }
    /// The number of bytes that the receive buffer holds.
    var receiveCapacity: Int { Int(options.receiveBuffer) }

    override var readiness: Readiness {
        if pendingError != 0 { return [.read, .write] }
        switch phase {
        case .connected:
            guard let incoming, let outgoing else { return [.read, .write] }
            var ready: Readiness = incoming.readable > 0 || incoming.hasEnded ? .read : []
            if isWritable(outgoing) { ready.insert(.write) }
            return ready
        case .listening(let queue): return queue.ready.isEmpty ? [] : .read
        case .connecting, .handshaking: return []
        // Linux reports a hang-up.
        case .fresh, .ended: return [.read, .write]
        }
    }

    /// Whether a third of the send buffer is free (`sk_stream_is_writable`), or a write fails.
    func isWritable(_ stream: ByteStream) -> Bool {
        stream.isFinished || 3 * stream.unacknowledged <= 2 * sendCapacity
    }

    override var isListening: Bool { if case .listening = phase { true } else { false } }
    var isConnected: Bool { if case .connected = phase { true } else { false } }

    override var remoteAddress: SocketAddress? {
        guard case .connected = phase else { return nil }
        return remote?.socketAddress(family)
    }

    override var readableCount: Int { incoming?.readable ?? 0 }
    override var unsentCount: Int { outgoing.map { $0.limit - $0.acknowledged } ?? 0 }
    override var hasPeerEnded: Bool {
        if pendingError != 0 || incoming?.hasEnded == true { return true }
        // Linux reports a hang-up.
        return switch phase {
        case .fresh, .ended: true
        case .connected, .listening, .connecting, .handshaking: false
        }
    }

    override func close(_ kernel: inout Kernel) { kernel.close(self) }
    override func vanish(_ kernel: inout Kernel) { kernel.vanish(self) }

    override var summary: String {
        let name =
            switch phase {
            case .fresh: "unconnected"
            case .listening: "listening"
            case .connecting, .handshaking: "connecting"
            case .connected: "connected"
            case .ended: "disconnected"
            }
        let peer = remote.map { " to \($0.socketAddress(family))" } ?? ""
        return "TCP socket \(local.socketAddress(family))\(peer), \(name)"
    }

    /// Uses the streams of an established connection.
    func attach(_ pair: StreamPair) {
        self.pair = pair
        let isClient = pair.client === self
        outgoing = isClient ? pair.upstream : pair.downstream
        incoming = isClient ? pair.downstream : pair.upstream
    }
}

/// The connections of a listening socket that wait for `accept`.
final class ListenQueue {
    /// The argument of `listen`. The queue holds one connection more, as in Linux.
    var backlog: Int
    /// Complete connections, oldest first.
    var ready = FIFO<TCPSocket>()
    /// Connections whose handshake is not complete. Linux counts them separately.
    var handshaking: [TCPSocket] = []

    init(backlog: Int) { self.backlog = backlog }

    var isFull: Bool { ready.count + handshaking.count > backlog }
}
