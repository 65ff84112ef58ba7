// SPDX-License-Identifier: MIT
import Foundation
import Glibc
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

/// The datagram sockets of the process. Only these tests open any, except for two of Foundation's.
func datagramDescriptors() -> Set<Int32> {
    foundationsSockets
    return Descriptor.all.filter { RawSocket.option($0, SOL_SOCKET, SO_TYPE) == SocketKind.datagram.number }
}

/// Foundation opens them when a `Process` first runs, which some tests do. Opening them first makes all counts
/// include them.
private let foundationsSockets: Void = {
    do {
        try Process.run(URL(fileURLWithPath: "/bin/true"), arguments: []).waitUntilExit()
    } catch {
        preconditionFailure("\(error)")
    }
}()
