// SPDX-License-Identifier: MIT
import ReactiveSupport

/// Something that happens in the kernel at an instant.
enum KernelEvent {
    /// A closure of the world.
    case body(ScheduledWork)
    /// A timer descriptor expires.
    case expiration(TimerObject)
    /// A segment of a stream arrives. It contains everything before `end`.
    case segment(ByteStream, end: Int)
    /// An acknowledgement arrives at the stream's sender. It permits bytes before `edge`.
    case acknowledgement(ByteStream, end: Int, edge: Int)
    /// The retransmission timer of a stream expires.
    case retransmission(ByteStream)
    /// A client's SYN arrives at a host.
    case syn(TCPSocket, host: Int)
    /// A client's SYN timer expires.
    case synTimer(TCPSocket)
    /// A client's attempt to connect fails.
    case connectFailure(TCPSocket, errno: Int32)
    /// The SYN-ACK of a connection arrives at the client.
    case synAck(StreamPair)
    /// The client's ACK of the SYN-ACK arrives at the server.
    case handshakeAck(TCPSocket)
    /// The client sends the ACK of the SYN-ACK again, because it was lost.
    case handshakeAckTimer(StreamPair, attempt: Int)
    /// The server drops a handshake whose client has disappeared.
    case handshakeExpiry(TCPSocket)
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
        case .body, .expiration, .retransmission, .synTimer, .handshakeAckTimer, .handshakeExpiry: nil
        case .segment(let stream, _): stream.direction
        case .acknowledgement(let stream, _, _): stream.direction.reversed
        case .syn(let client, let host): Links.Direction(client.host, host)
        // Without a target there was no packet: the route is missing.
        case .connectFailure(let client, _): client.attempt.target.map { Links.Direction($0, client.host) }
        case .synAck(let pair): pair.downstream.direction
        case .handshakeAck(let server): server.pair?.upstream.direction
        case .packet(let packet): Links.Direction(packet.origin, packet.host)
        case .unreachable(let packet): Links.Direction(packet.host, packet.origin)
        case .reset(let target, let pair):
            target === pair.client ? pair.downstream.direction : pair.upstream.direction
        }
    }
}
