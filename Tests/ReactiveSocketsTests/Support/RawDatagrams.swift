// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import SchedulerConformance

@testable import ReactiveSockets

/// A non-blocking datagram socket that uses only system calls.
final class RawDatagrams: Sendable {
    private let owned: OwnedDescriptor

    init(at address: SocketAddress) {
        owned = OwnedDescriptor(RawSocket.bound(to: address, .datagram, isBlocking: false))
    }

    var descriptor: Int32 { owned.number }

    var address: SocketAddress {
        OpenSockets.localAddress(of: descriptor) ?? SocketAddress(family: .unix, bytes: [])
    }

    @discardableResult
    func send(_ bytes: some Collection<UInt8>, to peer: SocketAddress) -> Int {
        let bytes = Array(bytes)
        return peer.withSockaddr { sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1) }
    }

    /// The next datagram, or `nil` if none is available.
    func receive() -> [UInt8]? {
        var memory = [UInt8](repeating: 0, count: 200_000)
        let count = recv(descriptor, &memory, memory.count, 0)
        return count >= 0 ? Array(memory[..<count]) : nil
    }

    func close() { owned.close() }
}

/// The datagram sockets of the process, with one name for each, which no later socket gets.
func datagramSockets() -> Set<String> {
    let descriptors = Descriptor.all.filter { RawSocket.option($0, SOL_SOCKET, SO_TYPE) == SocketKind.datagram.number }
    return Set(descriptors.map(link(of:)))
}

/// Waits until each datagram socket is closed that is open now and was not open before. Tests that run at the same
/// time also open some, and close them.
func waitUntilDatagramSocketsClose(except before: Set<String>) throws {
    let opened = datagramSockets().subtracting(before)
    try waitUntil("the datagram sockets to close") { datagramSockets().isDisjoint(with: opened) }
}
