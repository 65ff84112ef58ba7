// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets
import ReactiveSupport

/// A UDP socket (udp(7)): RFC 768 as a program sees it, with Linux's results.
///
/// Left out: fragmentation, path MTU discovery, multicast, and the send buffer, which in practice is empty.
final class UDPSocket: SocketObject, IPObject {
    /// A datagram that has arrived.
    struct Arrival {
        let bytes: [UInt8]
        let sender: Endpoint
    }

    var address: IPIdentity
    var arrivals = FIFO<Arrival>()
    /// Whether the program has ended sending.
    var isFinished = false
    /// The memory that the arrivals take, as Linux counts it.
    var queuedMemory = 0

    /// The kernel's own structures for one datagram count against the receive buffer.
    static let overhead = 768

    init(host: Int, _ family: SocketAddress.Family) {
        address = IPIdentity(family)
        super.init(host: host, .datagram, family, SocketOptions(.datagram, family))
    }

    /// Writing is always possible.
    override var readiness: Readiness {
        arrivals.isEmpty && pendingError == 0 ? .write : [.read, .write]
    }

    override var isBound: Bool { address.binding != nil }
    override var localAddress: SocketAddress? { address.local.socketAddress(family) }
    override var remoteAddress: SocketAddress? { address.remote?.socketAddress(family) }
    override var readableCount: Int { arrivals.first?.bytes.count ?? 0 }
    override func didSetOption() { address.didSetOption(options) }

    override var summary: String {
        "UDP socket \(localAddress.map { "\($0)" } ?? "")\(remoteAddress.map { " to \($0)" } ?? "")"
    }

    /// Ends sending (shutdown(2)). It does so even if the socket is not connected, for which it returns an error.
    func shutdownWriting() -> Int32 {
        isFinished = true
        return address.remote == nil ? ENOTCONN : 0
    }

    /// Takes the oldest datagram.
    func takeArrival() -> Arrival? {
        guard let first = arrivals.popFirst() else { return nil }
        queuedMemory -= first.bytes.count + Self.overhead
        return first
    }
}

/// A datagram on its way to an address of a host.
struct Packet {
    let bytes: [UInt8]
    let sender: UDPSocket
    let source: Endpoint
    let target: Endpoint
    let host: Int
}
