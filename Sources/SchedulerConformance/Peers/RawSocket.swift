// SPDX-License-Identifier: MIT
import Glibc
package import ReactiveSockets

/// Sockets as bare descriptors, created by system calls.
///
/// Safe: the calls receive local variables with their sizes, and addresses that outlive the call. They keep no pointer.
package enum RawSocket {
    /// Creates a socket of an address's family.
    package static func make(_ kind: SocketKind, _ family: SocketAddress.Family, isBlocking: Bool = true) -> Int32 {
        if let machine = Platform.simulated {
            let descriptor = machine.open(kind == .datagram ? .datagram : .stream, family)
            if descriptor < 0 { fatalError("socket: \(-descriptor)") }
            return descriptor
        }
        let domain =
            switch family {
            case .ipv4: AF_INET
            case .ipv6: AF_INET6
            case .unix: AF_UNIX
            }
        let waiting = isBlocking ? 0 : Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(domain, kind.number | Int32(SOCK_CLOEXEC.rawValue) | waiting, 0)
        if descriptor < 0 { fatalError("socket: \(errno)") }
        return descriptor
    }

    /// Creates a bound socket that does not listen.
    package static func bound(to address: SocketAddress, _ kind: SocketKind = .stream, isBlocking: Bool = true) -> Int32
    {
        let descriptor = make(kind, address.family, isBlocking: isBlocking)
        let code =
            if let machine = Platform.simulated {
                Descriptor.checked(machine.bind(descriptor, address))
            } else {
                address.withSockaddr { unsafe bind(descriptor, $0, $1) }
            }
        if code != 0 { fatalError("bind to \(address): \(errno)") }
        return descriptor
    }

    /// Creates a blocking socket that listens on an address of this machine, with a queue of `backlog`.
    package static func listener(
        on address: SocketAddress = .loopback(port: 0),
        backlog: Int32 = 16
    ) -> (descriptor: Int32, address: SocketAddress) {
        let descriptor = bound(to: address)
        listen(on: descriptor, backlog)
        return (descriptor, OpenSockets.localAddress(of: descriptor) ?? closedAddress)
    }

    /// Starts to connect, without waiting.
    package static func connecting(to address: SocketAddress) -> Int32 {
        let descriptor = make(.stream, address.family, isBlocking: false)
        connect(descriptor, to: address)
        return descriptor
    }

    /// Connects, or starts to connect. Returns 0, or -1 and sets the error number.
    @discardableResult
    static func connect(_ descriptor: Int32, to address: SocketAddress) -> Int32 {
        if let machine = Platform.simulated { return Descriptor.checked(machine.connect(descriptor, address)) }
        return address.withSockaddr { unsafe Glibc.connect(descriptor, $0, $1) }
    }

    /// Ends a TCP connection with a reset, at once (`connect(2)`, `AF_UNSPEC`). Does nothing to a Unix socket, and nothing
    /// on a simulated machine.
    static func disconnect(_ descriptor: Int32) {
        if Platform.simulated != nil { return }
        var nobody = sockaddr()
        _ = unsafe Glibc.connect(descriptor, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
    }

    private static func listen(on descriptor: Int32, _ backlog: Int32) {
        if let machine = Platform.simulated {
            Descriptor.checked(machine.listen(descriptor, backlog: backlog))
        } else {
            Glibc.listen(descriptor, backlog)
        }
    }

    /// Creates the socket file of a Unix server that has exited.
    package static func leaveStale(_ address: SocketAddress) {
        let dead = bound(to: address)
        listen(on: dead, 1)
        Descriptor.close(dead)
    }

    /// An address of this machine that refuses connections. The system never chooses port 1 by itself. A port that has
    /// just been closed could soon belong to another socket, or even to the connecting socket itself.
    package static let closedAddress = SocketAddress.loopback(port: 1)
}
