// SPDX-License-Identifier: MIT
import ReactiveSupport

/// A socket that a ``Handover`` passes to the next process, with its name.
///
/// The next process finds it with ``InheritedSockets/take(_:)``. Names have 1 to 255 printable ASCII characters without
/// `:`.
public struct HandoverSocket: Sendable {
    private enum Source {
        case server(ServerCore)
        case listener(Listener)
        case datagrams(DatagramSocket)
    }

    let name: String
    private let source: Source

    /// The listening sockets of a server. After the hand-over, drain the server.
    public static func server(_ name: String, _ server: Server) -> HandoverSocket {
        HandoverSocket(name: name, source: .server(server.core))
    }

    /// A listener. After the hand-over, close it.
    public static func listener(_ name: String, _ listener: Listener) -> HandoverSocket {
        HandoverSocket(name: name, source: .listener(listener))
    }

    /// A datagram socket. After the hand-over, close it. Until then either process may receive a datagram.
    public static func datagrams(_ name: String, _ socket: DatagramSocket) -> HandoverSocket {
        HandoverSocket(name: name, source: .datagrams(socket))
    }

    /// Duplicates the descriptors. The caller closes the duplicates.
    func duplicates() throws(SocketError) -> [Int32] {
        switch source {
        case .server(let server): try server.duplicates()
        case .listener(let listener): [try listener.core.value.duplicate()]
        case .datagrams(let socket): [try socket.core.value.duplicate()]
        }
    }

    /// Leaves the files of Unix sockets, and the peers in the queues, to the next process, if that acknowledges. This
    /// process may close the sockets meanwhile.
    func offer() {
        switch source {
        case .server(let server): server.offer()
        case .listener(let listener): listener.core.value.offer()
        case .datagrams(let socket): socket.core.value.offerFile()
        }
    }

    /// Ends an offer that was not acknowledged.
    func withdraw() {
        switch source {
        case .server(let server): server.withdraw()
        case .listener(let listener): listener.core.value.withdraw()
        case .datagrams(let socket): socket.core.value.withdrawFile()
        }
    }

    /// Leaves the files of Unix sockets, and the peers in the queues, to the next process.
    func release() {
        switch source {
        case .server(let server): server.release()
        case .listener(let listener): listener.core.value.release()
        case .datagrams(let socket): socket.core.value.releaseFile()
        }
    }
}
