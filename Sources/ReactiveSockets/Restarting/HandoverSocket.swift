// SPDX-License-Identifier: MIT
import ReactiveSupport

/// A socket that a ``Handover`` passes to the next process, with its name.
///
/// The next process finds it with ``InheritedSockets/take(_:)``. Names have 1 to 255 printable ASCII characters without
/// `:`.
public struct HandoverSocket: Sendable {
    let name: String
    let source: any HandoverSource

    /// The listening sockets of a server. After the hand-over, drain the server.
    public static func server(_ name: String, _ server: Server) -> HandoverSocket {
        HandoverSocket(name: name, source: server.core)
    }

    /// A listener. After the hand-over, close it.
    public static func listener(_ name: String, _ listener: Listener) -> HandoverSocket {
        HandoverSocket(name: name, source: listener)
    }

    /// A datagram socket. After the hand-over, close it. Until then either process may receive a datagram.
    public static func datagrams(_ name: String, _ socket: DatagramSocket) -> HandoverSocket {
        HandoverSocket(name: name, source: socket)
    }
}

/// An object whose sockets a ``Handover`` passes to the next process. Any thread may call its methods.
protocol HandoverSource: Sendable {
    /// Duplicates the descriptors. The caller closes the duplicates.
    func duplicates() throws(SocketError) -> [Int32]

    /// Leaves the files of Unix sockets, and the peers in the queues, to the next process, if that acknowledges. This
    /// process may close the sockets meanwhile.
    func offer()

    /// Ends an offer that was not acknowledged.
    func withdraw()

    /// Leaves the files of Unix sockets, and the peers in the queues, to the next process.
    func release()
}

/// A source with one socket.
protocol BoundSocketOwner: HandoverSource {
    var bound: BoundSocket { get }
}

extension BoundSocketOwner {
    func duplicates() throws(SocketError) -> [Int32] { [try bound.duplicate()] }
    func offer() { bound.offer() }
    func withdraw() { bound.withdraw() }
    func release() { bound.release() }
}

extension Listener: BoundSocketOwner {
    var bound: BoundSocket { core.value.bound }
}

extension DatagramSocket: BoundSocketOwner {
    var bound: BoundSocket { core.value.bound }
}
