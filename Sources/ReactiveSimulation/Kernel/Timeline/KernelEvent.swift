// SPDX-License-Identifier: MIT

/// Something that happens in the kernel at an instant.
enum KernelEvent {
    /// A closure of the world.
    case body(ScheduledBody)
    /// A timer descriptor expires.
    case expiration(TimerObject)
    /// A segment of a stream arrives. It contains everything before `end`.
    case segment(ByteStream, end: Int)
    /// An acknowledgement arrives at the stream's sender. It permits bytes before `edge`.
    case acknowledgement(ByteStream, end: Int, edge: Int)
    /// The retransmission timer of a stream expires.
    case retransmission(ByteStream)
    /// A step of the handshake of a TCP connection.
    case handshake(HandshakeStep)
    /// A datagram arrives.
    case packet(Packet)
    /// The message that no socket has received a datagram arrives at the datagram's sender.
    case unreachable(Packet)
    /// A reset arrives at a socket. The pair identifies its connection.
    case reset(TCPSocket, StreamPair)

    /// Whether the event is a closure that has been disposed.
    var isCancelled: Bool {
        if case .body(let body) = self { return body.isDisposed }
        return false
    }

    /// The direction of the packet whose arrival this is. nil for other events.
    var direction: Links.Direction? {
        switch self {
        case .body, .expiration, .retransmission: nil
        case .segment(let stream, _): stream.direction
        case .acknowledgement(let stream, _, _): stream.direction.reversed
        case .handshake(let step): step.direction
        case .packet(let packet): Links.Direction(packet.origin, packet.host)
        case .unreachable(let packet): Links.Direction(packet.host, packet.origin)
        case .reset(let target, let pair):
            target === pair.client ? pair.downstream.direction : pair.upstream.direction
        }
    }

    /// A step of the handshake, which happens at the named side.
    enum HandshakeStep {
        /// The client's SYN arrives at a host.
        case request(client: TCPSocket, host: Int)
        /// The client's SYN timer expires.
        case retry(client: TCPSocket)
        /// The connection attempt fails.
        case failure(client: TCPSocket, errno: Int32)
        /// The SYN-ACK arrives at the client.
        case answer(client: TCPSocket, StreamPair)
        /// The client's ACK arrives at the server.
        case confirmation(server: TCPSocket)
        /// The client sends the ACK again, because it was lost.
        case repeatedConfirmation(StreamPair, attempt: Int)
        /// The server drops a handshake whose client has disappeared.
        case expiry(server: TCPSocket)

        /// The direction of the packet whose arrival this is. nil if a timer expires.
        var direction: Links.Direction? {
            switch self {
            case .request(let client, let host): Links.Direction(client.host, host)
            // Without a target there was no packet: the route is missing.
            case .failure(let client, _): client.attempt.target.map { Links.Direction($0, client.host) }
            case .answer(_, let pair): pair.downstream.direction
            case .confirmation(let server): server.pair?.upstream.direction
            case .retry, .repeatedConfirmation, .expiry: nil
            }
        }
    }
}
