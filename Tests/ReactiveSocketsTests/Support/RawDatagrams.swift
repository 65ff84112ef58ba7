import Foundation
import Glibc
import SchedulerConformance

@testable import ReactiveSockets

/// A datagram socket without any library: a descriptor and the system's calls. It does not block.
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

    /// The next one, if there is one.
    func receive() -> [UInt8]? {
        var memory = [UInt8](repeating: 0, count: 200_000)
        let count = recv(descriptor, &memory, memory.count, 0)
        return count >= 0 ? Array(memory[..<count]) : nil
    }

    func close() { owned.close() }
}

/// Which descriptors of the process are datagram sockets: nobody else's tests have any, but for Foundation's two.
func datagramDescriptors() -> Set<Int32> {
    foundationsSockets
    return Descriptor.all.filter { RawSocket.option($0, SOL_SOCKET, SO_TYPE) == SocketKind.datagram.number }
}

/// Foundation opens them when a `Process` first runs, as tests that start programs do; they are counted from the beginning.
private let foundationsSockets: Void = {
    do {
        try Process.run(URL(fileURLWithPath: "/bin/true"), arguments: []).waitUntilExit()
    } catch {
        preconditionFailure("\(error)")
    }
}()
