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
        /// Its name counts when the datagram is received.
        let sender: UnixSocket
    }

    var phase = Phase.fresh
    var name: SocketAddress?
    /// The connected peer, even if it has been closed. A socket that closes forgets its own, so there is no cycle.
    var peer: UnixSocket?
    var isClosed = false
    /// The name of the peer when it was connected.
    var peerName: SocketAddress?

    // Streams
    var incoming = ByteRing()
    /// Whether the peer has ended its stream.
    var hasEnded = false
    /// Whether this side has ended its stream.
    var isFinished = false
    /// Whether this is an end of a pipe, and which one.
    var isPipe = false
    var isWriter = false
    /// Connections that no call has accepted, with the number of those that may wait.
    var waiting = FIFO<UnixSocket>()

    // Datagrams
    var arrivals = FIFO<Arrival>()
    /// Sockets that wait until this one has room for a datagram.
    var waitingSenders: [Weak<UnixSocket>] = []

    /// `net.unix.max_dgram_qlen` is 10, and one more fits.
    static let datagramLimit = 11

    init(host: Int, _ kind: SocketType) {
        super.init(host: host, kind, .unix, SocketOptions(kind, .unix))
    }

    override var readiness: Readiness {
        if isPipe { return pipeReadiness }
        if pendingError != 0 { return [.read, .write] }
        if kind == .datagram {
            var ready: Readiness = arrivals.isEmpty ? [] : .read
            // Writing is possible unless the queue of the connected peer is full.
            if peer.map({ $0.isClosed || $0.arrivals.count < Self.datagramLimit }) ?? true { ready.insert(.write) }
            return ready
        }
        switch phase {
        // Linux reports a hang-up.
        case .fresh, .peerClosed: return [.read, .write]
        case .listening: return waiting.isEmpty ? [] : .read
        case .connected:
            var ready: Readiness = incoming.count > 0 || hasEnded ? .read : []
            if isFinished || isWritable { ready.insert(.write) }
            return ready
        }
    }

    /// The reading end is never writable, and the writing end is readable only with the error of a closed reader.
    private var pipeReadiness: Readiness {
        if isWriter {
            if case .peerClosed = phase { return [.read, .write] }
            return isWritable ? .write : []
        }
        // A closed writer is a hang-up.
        if case .peerClosed = phase { return [.read, .write] }
        return incoming.count > 0 ? .read : []
    }

    /// The number of bytes that the peer's queue has room for.
    var room: Int { peer.map { Int(options.sendBuffer) - $0.incoming.count } ?? 0 }

    /// Whether a stream is writable: at most a quarter of the send buffer is in use (`unix_writable`).
    var isWritable: Bool { peer.map { 4 * $0.incoming.count <= Int(options.sendBuffer) } ?? true }

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
    override var unsentCount: Int { kind == .stream ? peer?.incoming.count ?? 0 : 0 }
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
