// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets

extension SocketProgram.Machine {
    /// The address to bind a socket to.
    func address(of place: SocketProgram.Place, for socket: Int) -> SocketAddress {
        switch place {
        case .free: isUnix ? unixName(socket) : address(0, .loopback, families[socket])
        case .anywhere: isUnix ? unixName(socket) : address(0, .wildcard, families[socket])
        // Another program may use the port that no socket of this one has.
        case .same(let target):
            known(target) == nil ? address(of: .free, for: socket) : address(of: target, for: socket)
        }
    }

    /// The address of a target, for calls of a socket. If the target has none, it is an address that no socket has.
    func address(of target: SocketProgram.Target, for socket: Int) -> SocketAddress {
        let known = known(target)
        if isUnix { return known ?? unixName(99) }
        let (port, family) = (known?.port ?? 1, families.indices.contains(socket) ? families[socket] : .ipv4)
        return switch target {
        case .socket: known.map { converted($0, to: family) } ?? address(port, .loopback, family)
        case .wildcard: address(port, .wildcard, family)
        case .second: address(port, .second, family)
        case .broadcast: address(port, .broadcast, family)
        }
    }

    private func known(_ target: SocketProgram.Target) -> SocketAddress? {
        addresses.indices.contains(target.number) ? addresses[target.number] : nil
    }

    private enum Kind { case loopback, wildcard, second, broadcast }

    private func address(_ port: UInt16, _ kind: Kind, _ family: SocketAddress.Family) -> SocketAddress {
        let four: [UInt8] =
            switch kind {
            case .loopback: [127, 0, 0, 1]
            case .wildcard: [0, 0, 0, 0]
            case .second: [127, 0, 0, 2]
            case .broadcast: [127, 255, 255, 255]
            }
        let address = SocketAddress(family: .ipv4, bytes: four, port: port)
        if family == .ipv4 { return address }
        let zeros = [UInt8](repeating: 0, count: 15)
        return switch kind {
        case .loopback: SocketAddress(family: .ipv6, bytes: zeros + [1], port: port)
        case .wildcard: SocketAddress(family: .ipv6, bytes: zeros + [0], port: port)
        // An IPv6 socket reaches these over IPv4.
        case .second, .broadcast: converted(address, to: .ipv6)
        }
    }

    /// The address in the form of a family.
    private func converted(_ address: SocketAddress, to family: SocketAddress.Family) -> SocketAddress {
        if address.family == family { return address }
        let bytes = address.bytes
        if family == .ipv6 {
            let prefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
            return SocketAddress(family: .ipv6, bytes: prefix + bytes, port: address.port)
        }
        if bytes[11] == 0xFF { return SocketAddress(family: .ipv4, bytes: Array(bytes[12...]), port: address.port) }
        return self.address(address.port, bytes[15] == 0 ? .wildcard : .loopback, .ipv4)
    }

    /// A name: that of a file for every second socket, an abstract one for the others.
    private func unixName(_ socket: Int) -> SocketAddress {
        let bytes = path(of: socket).map { Array($0.utf8) } ?? [0] + Array("\(prefix)-\(socket)".utf8)
        return SocketAddress(family: .unix, bytes: bytes)
    }

    /// The path of a socket's file, or nil if the socket has an abstract name.
    func path(of socket: Int) -> String? {
        guard isUnix, socket % 2 == 0 else { return nil }
        let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        return "\(directory)/\(prefix)-\(socket)"
    }

    /// The address, if another socket can connect to it.
    func usable(_ address: SocketAddress?) -> SocketAddress? {
        guard let address else { return nil }
        return isUnix ? (address.bytes.isEmpty ? nil : address) : (address.port == 0 ? nil : address)
    }

    /// The first socket that has had the port or the name, because numbers of ports differ. The address of an IP socket
    /// follows if it is another one.
    func name(_ address: SocketAddress) -> String {
        if isUnix {
            return addresses.firstIndex(of: address).map { "socket \($0)" }
                ?? (usable(address) == nil ? "unnamed" : "another")
        }
        if address.port <= 1 { return "port \(address.port) at \(address.host)" }
        // By chance, sockets of two families can have the same port.
        let exact = addresses.firstIndex(of: address)
        guard let place = exact ?? addresses.firstIndex(where: { $0?.port == address.port }) else {
            return "another at \(address.host)"
        }
        return "socket \(place)" + (addresses[place] == address ? "" : " at \(address.host)")
    }
}
