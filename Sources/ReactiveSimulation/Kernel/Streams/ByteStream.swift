// SPDX-License-Identifier: MIT

/// One direction of a TCP connection: the bytes, and how far each side has got. Only the holder of the network's lock
/// uses it.
///
/// Positions count bytes from the start of the stream. The end of stream (FIN) counts as one more, as in TCP. These
/// positions never go back: read ≤ received ≤ sent ≤ limit, and acknowledged ≤ received.
final class ByteStream {
    let sender: TCPSocket
    let receiver: TCPSocket
    let direction: Links.Direction
    /// The bytes from `read` to `written`.
    var queue = ByteQueue()

    /// The number of bytes that the sender's program has written.
    var written = 0
    /// Whether the sender's program has ended the stream.
    var isFinished = false
    /// The end of what has been sent.
    var sent = 0
    /// The end of what has arrived.
    var received = 0
    /// The number of bytes that the receiver's program has read.
    var read = 0
    /// The end of what the sender knows to have arrived.
    var acknowledged = 0
    /// The end of what the receiver's window permits, as the sender knows it.
    var edge: Int
    /// The last edge that the receiver has sent.
    var advertisedEdge: Int
    /// When the last packet arrives. Later ones do not overtake it.
    var lastArrival: Int64 = 0
    var retransmission = Retransmission.idle

    /// What the retransmission timer does (RFC 6298).
    enum Retransmission {
        case idle
        /// `since`: the time of the first loss. `attempt`: the number of earlier timeouts.
        case armed(attempt: Int, since: Int64, timer: Timeline.Entry)
    }

    init(_ sender: TCPSocket, _ receiver: TCPSocket, edge: Int) {
        self.sender = sender
        self.receiver = receiver
        direction = Links.Direction(sender.host, receiver.host)
        self.edge = edge
        advertisedEdge = edge
    }

    /// The end of everything that can be sent.
    var limit: Int { isFinished ? written + 1 : written }
    /// The number of bytes that the receiver's program can read.
    var readable: Int { min(received, written) - read }
    /// Whether the end of stream has arrived.
    var hasEnded: Bool { isFinished && received > written }
    /// Whether the sender knows that the end of stream has arrived.
    var isEndAcknowledged: Bool { isFinished && acknowledged > written }
    /// The number of bytes in the send buffer.
    var unacknowledged: Int { written - min(acknowledged, written) }
}

/// Both directions of a TCP connection.
final class StreamPair {
    let client: TCPSocket
    let server: TCPSocket
    let upstream: ByteStream
    let downstream: ByteStream

    init(client: TCPSocket, server: TCPSocket) {
        self.client = client
        self.server = server
        upstream = ByteStream(client, server, edge: server.receiveCapacity)
        downstream = ByteStream(server, client, edge: client.receiveCapacity)
    }
}
