// SPDX-License-Identifier: MIT
import Glibc
package import ReactiveSockets

/// The open sockets of this process, as the system describes them.
///
/// Safe: the system calls receive local variables with their sizes, and keep no pointer.
package enum OpenSockets {
    package static func localAddress(of descriptor: Int32) -> SocketAddress? {
        if let machine = Platform.simulated { return machine.localAddress(descriptor) }
        return SocketAddress { unsafe getsockname(descriptor, $0, &$1) }
    }

    package static func peerAddress(of descriptor: Int32) -> SocketAddress? {
        if let machine = Platform.simulated { return machine.remoteAddress(descriptor) }
        return SocketAddress { unsafe getpeername(descriptor, $0, &$1) }
    }

    /// The descriptors of the sockets with that address on either end.
    package static func descriptors(on address: SocketAddress) -> [Int32] {
        Descriptor.all.filter { localAddress(of: $0) == address || peerAddress(of: $0) == address }.sorted()
    }

    package static func count(on address: SocketAddress) -> Int { descriptors(on: address).count }

    /// The sockets with that address on either end, as text.
    package static func descriptions(on address: SocketAddress) -> [String] {
        descriptors(on: address).map { description(of: $0) }
    }

    /// The number of sockets of this process that are connecting.
    package static var connecting: Int { Descriptor.all.count { descriptor in state(of: descriptor) == 2 } }

    /// The number of sockets of this process that are connecting from this host. Unlike ``connecting``, it does not
    /// count those of other threads, which may connect at the same time.
    package static func connecting(from host: SocketAddress) -> Int {
        Descriptor.all.count { state(of: $0) == 2 && localAddress(of: $0)?.bytes == host.bytes }
    }

    /// The number of established TCP connections of this process with that address on either end. 0 on a simulated
    /// machine, where a segment arrives at once.
    package static func established(on address: SocketAddress) -> Int {
        descriptors(on: address).count { state(of: $0) == 1 }
    }

    /// A socket as text: its number, both addresses, and the system's number for its state.
    private static func description(of descriptor: Int32) -> String {
        let ends = [localAddress(of: descriptor), peerAddress(of: descriptor)].map { $0?.description ?? "nothing" }
        let state = state(of: descriptor).map { "\($0)" } ?? "none"
        return "descriptor \(descriptor), \(ends[0]) to \(ends[1]), state \(state)"
    }

    /// The system's number for the state of a TCP socket, or `nil` for any other descriptor.
    private static func state(of descriptor: Int32) -> UInt8? {
        if let machine = Platform.simulated { return machine.isConnecting(descriptor) ? 2 : nil }
        var state = UInt8(0)
        var length = socklen_t(1)
        return unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &state, &length) == 0 ? state : nil
    }
}
