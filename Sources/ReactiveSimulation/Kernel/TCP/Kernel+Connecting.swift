// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets

extension Kernel {
    /// Starts to connect (connect(2), tcp(7)).
    mutating func connect(_ socket: TCPSocket, _ target: SocketAddress) -> Int32 {
        switch socket.phase {
        case .fresh: return startConnecting(socket, target)
        case .connecting: return EALREADY
        case .connected:
            if socket.attempt.isReported { return EISCONN }
            socket.attempt.isReported = true
            return 0
        case .ended(.unconnected) where socket.attempt.isShutDown: return EINVAL
        case .ended(.unconnected), .ended(.aborted):
            if case .ended(.aborted) = socket.phase, socket.attempt.isReported { return EISCONN }
            // This call reports the failure. The socket can then connect again.
            let error = socket.takeError()
            socket.phase = .fresh
            socket.resetAddress()
            detach(socket)
            return error == 0 ? ECONNABORTED : error
        case .listening, .handshaking, .ended: return EISCONN
        }
    }

    private mutating func startConnecting(_ socket: TCPSocket, _ target: SocketAddress) -> Int32 {
        if let code = Self.familyError(socket.family, target) { return code }
        let peer = Self.destination(Endpoint(target), of: socket)
        if peer.address.isBroadcast || socket.options.isIPv6Only && peer.address.isFour { return ENETUNREACH }
        let host = hosts[socket.host]
        var source = host.source(to: peer.address)
        if let binding = socket.binding, !binding.address.isWildcard, !binding.address.isBroadcast {
            source = binding.address
            if source.isLoopback, !host.has(peer.address) { return EINVAL }
            if source.isFour != peer.address.isFour { return source.isFour ? EAFNOSUPPORT : ENETUNREACH }
        }
        guard claimTuple(socket, from: source, to: peer) else { return EADDRNOTAVAIL }
        socket.phase = .connecting
        socket.pendingError = 0
        detach(socket)
        socket.remote = peer
        socket.attempt = TCPSocket.ConnectAttempt(target: self.host(of: peer.address, from: socket.host))
        record(.connects, socket.host, peer: socket.attempt.target, "\(target)")
        if socket.attempt.target == nil {
            let failure = KernelEvent.connectFailure(socket, errno: EHOSTUNREACH)
            socket.attempt.timer = timeline.add(failure, at: now + 3 * Self.second)
        } else {
            sendRequest(socket)
        }
        return EINPROGRESS
    }

    private mutating func claimTuple(_ socket: TCPSocket, from source: IPAddress, to peer: Endpoint) -> Bool {
        let host = hosts[socket.host]
        let now = now
        if let binding = socket.binding {
            let tuple = TupleTable.Tuple(local: Endpoint(source, binding.port), remote: peer)
            // A bound socket may repeat a connection in TIME_WAIT, because TCP has timestamps (`tcp_twsk_unique`).
            if host.tuples.isOpen(tuple) { return false }
            host.tuples.insert(tuple)
            socket.local = tuple.local
            return true
        }
        let binding = Binding(socket, Endpoint(source, 0), isBound: false)
        host.streamPorts.purge(now: now)
        let isClaimed = host.streamPorts.insertAtEphemeralPort(
            binding,
            notIn: host.tuples.ports(from: source, to: peer, now: now),
            &random
        )
        guard isClaimed else { return false }
        socket.binding = binding
        socket.local = Endpoint(source, binding.port)
        host.tuples.insert(TupleTable.Tuple(local: socket.local, remote: peer))
        return true
    }

    static var second: Int64 { 1_000_000_000 }
    /// Linux sends a SYN seven times, and gives up 127 s after the first one (`tcp_syn_retries`).
    private static var largestRetryCount: Int { 6 }
    /// The number of times that an ACK of a SYN-ACK is repeated (`tcp_synack_retries`).
    private static var largestConfirmationCount: Int { 5 }

    /// Sends the SYN, and arms its timer.
    private mutating func sendRequest(_ client: TCPSocket) {
        guard let target = client.attempt.target else { return }
        let direction = Links.Direction(client.host, target)
        if client.attempt.retries == 0 {
            client.attempt.isBlackHoled = random.happens(links[direction].conditions.blackHole)
        }
        if !client.attempt.isBlackHoled, let time = arrival(direction) {
            timeline.add(.syn(client, host: target), at: time)
        } else {
            record(.loses, client.host, peer: target, isFault: true)
        }
        let delay = Self.second << Int64(client.attempt.retries)
        client.attempt.timer = timeline.add(.synTimer(client), at: now + delay)
    }

    /// The timer of a SYN expires.
    mutating func repeatRequest(_ client: TCPSocket) {
        guard case .connecting = client.phase else { return }
        client.attempt.retries += 1
        if client.attempt.retries > Self.largestRetryCount { return fail(client, ETIMEDOUT) }
        sendRequest(client)
    }

    /// A SYN arrives.
    mutating func receiveRequest(_ client: TCPSocket, _ host: Int) {
        guard case .connecting = client.phase, let peer = client.remote, hosts[host].isUp else {
            return
        }
        if let pair = client.pair, pair.server.host == host {
            switch pair.server.phase {
            case .handshaking, .connected: return sendAnswer(pair)
            default: break
            }
        }
        let isRefused = random.happens(links[Links.Direction(client.host, host)].conditions.refusal)
        guard !isRefused, let listener = listener(at: peer, on: host), case .listening(let queue) = listener.phase
        else {
            record(.refuses, host, peer: client.host, isFault: isRefused, "\(peer.port)")
            if let time = arrival(Links.Direction(host, client.host)) {
                timeline.add(.connectFailure(client, errno: ECONNREFUSED), at: time)
            }
            return
        }
        // Linux drops the SYN. The client sends it again after a second.
        if queue.isFull { return }
        let pair = makeServer(of: client, listener, peer)
        queue.handshaking.append(pair.server)
        client.pair = pair
        sendAnswer(pair)
    }

    private mutating func sendAnswer(_ pair: StreamPair) {
        if let time = arrival(pair.downstream.direction) {
            pair.downstream.lastArrival = max(time, pair.downstream.lastArrival)
            timeline.add(.synAck(pair), at: time)
        }
    }

    /// A SYN-ACK arrives.
    mutating func receiveAnswer(_ pair: StreamPair) {
        let client = pair.client
        if !hosts[client.host].isUp {
            timeline.add(.handshakeExpiry(pair.server), at: now + 63 * Self.second)
            return
        }
        guard client.pair === pair else { return sendReset(to: pair.server, pair, pair.upstream) }
        switch client.phase {
        case .connecting:
            if let timer = client.attempt.timer { timeline.cancel(timer) }
            client.phase = .connected
            client.attach(pair)
            client.notify()
            sendConfirmation(pair, attempt: 0)
        case .connected: sendConfirmation(pair, attempt: 0)
        default: sendReset(to: pair.server, pair, pair.upstream)
        }
    }

    mutating func sendConfirmation(_ pair: StreamPair, attempt: Int) {
        guard case .handshaking = pair.server.phase else { return }
        if send(.handshakeAck(pair.server), on: pair.upstream) { return }
        let isLast = attempt == Self.largestConfirmationCount
        let next: KernelEvent =
            isLast ? .handshakeExpiry(pair.server) : .handshakeAckTimer(pair, attempt: attempt + 1)
        timeline.add(next, at: now + (Self.second << Int64(attempt)))
    }

    /// Ends a connection attempt with an error.
    mutating func fail(_ client: TCPSocket, _ errno: Int32) {
        guard case .connecting = client.phase else { return }
        end(client, .unconnected, errno)
    }
}
