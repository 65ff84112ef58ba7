// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets
import ReactiveSupport

/// A UDP socket (udp(7)): RFC 768 as a program sees it, with Linux's results.
///
/// Left out: fragmentation, path MTU discovery, multicast, and the send buffer, which in practice is empty.
final class UDPSocket: IPSocket {
    /// A datagram that has arrived.
    struct Arrival {
        let bytes: [UInt8]
        let sender: Endpoint
        /// The memory that it takes, as Linux counts it.
        let memory: Int
    }

    var arrivals = FIFO<Arrival>()
    /// Whether the program has ended sending.
    var isFinished = false
    /// The memory that counts against the receive buffer: that of the arrivals, and ``receivedMemory``.
    private var queuedMemory = 0
    /// The memory of received datagrams that still counts (`forward_deficit` in Linux).
    private var receivedMemory = 0
    /// The number of the oldest arrivals that wait in the queue for receiving calls (`reader_queue` in Linux).
    private var readerCount = 0

    init(host: Int, _ family: SocketAddress.Family) {
        super.init(host: host, .datagram, family, SocketOptions(.datagram, family))
    }

    /// Writing is always possible.
    override var readiness: Readiness {
        arrivals.isEmpty && pendingError == 0 ? .write : [.read, .write]
    }

    override var remoteAddress: SocketAddress? { remote?.socketAddress(family) }

    override var readableCount: Int {
        fillReaderQueue()
        return arrivals.first?.bytes.count ?? 0
    }

    override func close(_ kernel: inout Kernel) { kernel.close(self) }

    override var summary: String {
        "UDP socket \(local.socketAddress(family))\(remoteAddress.map { " to \($0)" } ?? "")"
    }

    /// Ends sending (shutdown(2)). If the socket is not connected, the call ends sending too, but returns an error.
    func shutdownWriting() -> Int32 {
        isFinished = true
        return remote == nil ? ENOTCONN : 0
    }

    /// Queues a datagram. A full receive buffer drops it, but an empty one accepts a datagram of any size.
    func queue(_ bytes: [UInt8], from sender: Endpoint, memory: Int) {
        if queuedMemory > 0, queuedMemory + memory > Int(options.receiveBuffer) { return }
        arrivals.append(Arrival(bytes: bytes, sender: sender, memory: memory))
        queuedMemory += memory
        notify()
    }

    /// Takes the oldest datagram.
    ///
    /// Linux frees the memory of received datagrams together: when it is a quarter of the buffer, or when the queue for
    /// receiving calls is empty (`udp_rmem_release`).
    func takeArrival() -> Arrival? {
        fillReaderQueue()
        guard let first = arrivals.popFirst() else { return nil }
        readerCount -= 1
        receivedMemory += first.memory
        if readerCount == 0 || receivedMemory >= Int(options.receiveBuffer) / 4 {
            queuedMemory -= receivedMemory
            receivedMemory = 0
        }
        return first
    }

    private func fillReaderQueue() {
        if readerCount == 0 { readerCount = arrivals.count }
    }
}

/// A datagram on its way to an address of a host.
struct Packet {
    let bytes: [UInt8]
    /// The host that has sent it.
    let origin: Int
    let source: Endpoint
    let target: Endpoint
    /// The host to which it goes.
    let host: Int
}
