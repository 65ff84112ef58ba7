// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSockets
import ReactiveSupport

/// A Unix socket (unix(7)), of either kind. A stream socket and its peer share no buffer: each has the bytes that it can
/// receive.
///
/// Left out: ancillary data, credentials, `SOCK_SEQPACKET` and permissions of files.
final class UnixSocket: SocketObject {
    enum Phase {
        case fresh
        case listening(backlog: Int)
        case connected
        /// The peer has been closed.
        case peerClosed
    }

    /// A datagram that has arrived.
    struct Arrival {
        let bytes: [UInt8]
        /// The receiver gets the name that the sender has when the datagram is received.
        let sender: UnixSocket
        /// The memory that it occupies in the sender's buffer.
        let memory: Int
    }

    /// A message of a stream. Its memory is free when all of its bytes have been received.
    struct Segment {
        let count: Int
        let memory: Int

        init(_ count: Int) {
            self.count = count
            memory = MessageMemory.unixSegment(count)
        }
    }

    enum PipeEnd { case reading, writing }

    var phase = Phase.fresh
    var name: SocketAddress?
    /// The connected peer, even if it has been closed. A socket that closes releases its own peer, so there is no
    /// cycle.
    var peer: UnixSocket?
    var isClosed = false
    /// The name of the peer when it was connected.
    var peerName: SocketAddress?
    /// The memory of sent messages that have not been received. It counts against the send buffer.
    var sentMemory = 0

    // Streams
    var incoming = ByteQueue()
    /// The messages of `incoming`.
    var segments = FIFO<Segment>()
    /// The number of bytes that have been received of the first message.
    var receivedOfFirst = 0
    /// Whether the peer has ended its stream.
    var hasEnded = false
    /// Whether this side has ended its stream.
    var isFinished = false
    /// Which end of a pipe this is. nil for a socket.
    var pipeEnd: PipeEnd?
    /// Connections that no call has accepted, with the number of those that may wait.
    var waiting = FIFO<UnixSocket>()

    // Datagrams
    var arrivals = FIFO<Arrival>()
    /// The sockets that are connected to this one. They may wait until it has room for a datagram.
    var connectedSenders: [Weak<UnixSocket>] = []

    /// `net.unix.max_dgram_qlen` is 10, and one more fits.
    private static let datagramLimit = 11

    init(host: Int, _ kind: SocketType) {
        super.init(host: host, kind, .unix, SocketOptions(kind, .unix))
    }

    override var readiness: Readiness {
        if let pipeEnd { return readiness(of: pipeEnd) }
        if pendingError != 0 { return [.read, .write] }
        if kind == .datagram {
            var ready: Readiness = arrivals.isEmpty ? [] : .read
            if isWritable, peer.map({ $0.isClosed || !$0.isFull(for: self) }) ?? true { ready.insert(.write) }
            return ready
        }
        switch phase {
        // Linux reports a hang-up.
        case .fresh, .peerClosed: return [.read, .write]
        case .listening: return waiting.isEmpty ? [] : .read
        case .connected:
            var ready: Readiness = incoming.count > 0 || hasEnded ? .read : []
            // If both streams have ended, Linux reports a hang-up.
            if isWritable || isFinished && hasEnded { ready.insert(.write) }
            return ready
        }
    }

    /// Whether the send buffer accepts another message. The last one may exceed it.
    var hasRoom: Bool { sentMemory < Int(options.sendBuffer) }

    /// The reading end is never writable, and the writing end is readable only with the error of a closed reader.
    private func readiness(of end: PipeEnd) -> Readiness {
        // A closed peer is a hang-up.
        if case .peerClosed = phase { return [.read, .write] }
        return switch end {
        case .reading: incoming.count > 0 ? .read : []
        case .writing: isWritable ? .write : []
        }
    }

    /// Whether less than a quarter of the send buffer is in use (`unix_writable`).
    private var isWritable: Bool { 4 * (sentMemory + 1) <= Int(options.sendBuffer) }

    /// Whether the queue accepts no datagram of a sender. For the socket itself and for its peer there is no limit.
    func isFull(for sender: UnixSocket) -> Bool {
        sender !== self && peer !== sender && arrivals.count >= Self.datagramLimit
    }

    /// Frees the memory of a message that has been received or discarded.
    func release(_ memory: Int) {
        sentMemory -= memory
        if isWritable { notify() }
    }

    override var isListening: Bool { if case .listening = phase { true } else { false } }
    override var isBound: Bool { name != nil }
    override var localAddress: SocketAddress? { name ?? .unnamed }

    /// The peer's name now, or its last one.
    override var remoteAddress: SocketAddress? {
        if kind == .datagram { return peerName == nil ? nil : peer?.name ?? peerName }
        if case .fresh = phase { return nil }
        return isListening ? nil : peer?.name ?? peerName ?? .unnamed
    }

    override var readableCount: Int { kind == .stream ? incoming.count : arrivals.first?.bytes.count ?? 0 }
    override var unsentCount: Int { sentMemory }

    override var hasPeerEnded: Bool {
        if pendingError != 0 || hasEnded { return true }
        // Linux reports a hang-up.
        return switch phase {
        case .fresh, .peerClosed: true
        case .connected, .listening: false
        }
    }

    override func close(_ kernel: inout Kernel) { kernel.close(self) }
    override func vanish(_ kernel: inout Kernel) { kernel.vanish(self) }

    override var summary: String {
        let state = isListening ? ", listening" : ""
        return "Unix \(kind) socket \(name.map { "\($0)" } ?? "without a name")\(state)"
    }
}

/// The file of a Unix socket. It stays after the socket has been closed.
struct UnixFile {
    let number: UInt64
    /// False for another kind of file.
    var isSocket = true
    weak var socket: UnixSocket?
}

extension SocketAddress {
    /// The address of a Unix socket without a name.
    static var unnamed: SocketAddress { SocketAddress(family: .unix, bytes: []) }
}
