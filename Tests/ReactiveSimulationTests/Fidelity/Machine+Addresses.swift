// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets

extension SocketProgram.Machine {
    /// The address of a place.
    func address(of place: SocketProgram.Place, for socket: Int) -> SocketAddress {
        switch place {
        case .free: family == .unix ? unixName(socket) : address(0, .loopback)
        case .anywhere: family == .unix ? unixName(socket) : address(0, .wildcard)
        // Another program may use the port that no socket of this one has.
        case .same(let target): hasAddress(target) ? address(of: target) : address(of: .free, for: socket)
        }
    }

    private func hasAddress(_ target: SocketProgram.Target) -> Bool {
        addresses.indices.contains(target.number) && addresses[target.number] != nil
    }

    /// The address of a target. If its socket has none, it is one that no socket has.
    func address(of target: SocketProgram.Target) -> SocketAddress {
        let known = hasAddress(target) ? addresses[target.number] : nil
        if family == .unix { return known ?? unixName(99) }
        let port = known?.port ?? 1
        return switch target {
        case .socket: known ?? address(port, .loopback)
        case .wildcard: address(port, .wildcard)
        case .second: address(port, .second)
        case .broadcast: address(port, .broadcast)
        }
    }

    private enum Kind { case loopback, wildcard, second, broadcast }

    private func address(_ port: UInt16, _ kind: Kind) -> SocketAddress {
        let four: [UInt8] =
            switch kind {
            case .loopback: [127, 0, 0, 1]
            case .wildcard: [0, 0, 0, 0]
            case .second: [127, 0, 0, 2]
            case .broadcast: [127, 255, 255, 255]
            }
        if family == .ipv4 { return SocketAddress(family: .ipv4, bytes: four, port: port) }
        let zeros = [UInt8](repeating: 0, count: 10)
        return switch kind {
        case .loopback: SocketAddress(family: .ipv6, bytes: zeros + [0, 0, 0, 0, 0, 1], port: port)
        case .wildcard: SocketAddress(family: .ipv6, bytes: zeros + [0, 0, 0, 0, 0, 0], port: port)
        // An IPv6 socket reaches these over IPv4.
        case .second, .broadcast: SocketAddress(family: .ipv6, bytes: zeros + [0xFF, 0xFF] + four, port: port)
        }
    }

    private func unixName(_ socket: Int) -> SocketAddress {
        SocketAddress(family: .unix, bytes: [0] + Array("\(prefix)-\(socket)".utf8))
    }

    /// The address, if another socket can connect to it.
    func usable(_ address: SocketAddress?) -> SocketAddress? {
        guard let address else { return nil }
        return family == .unix ? (address.bytes.isEmpty ? nil : address) : (address.port == 0 ? nil : address)
    }

    /// The first socket that has had the port or the name, because numbers of ports differ. The address of an IP socket
    /// follows if it is another one.
    func name(_ address: SocketAddress) -> String {
        if family == .unix {
            return addresses.firstIndex(of: address).map { "socket \($0)" }
                ?? (usable(address) == nil ? "unnamed" : "another")
        }
        let suffix = " at \(address.bytes.drop { $0 == 0 }.map { "\($0)" }.joined(separator: "."))"
        if address.port <= 1 { return "port \(address.port)" + suffix }
        guard let place = addresses.firstIndex(where: { $0?.port == address.port }) else { return "another" + suffix }
        return "socket \(place)" + (addresses[place] == address ? "" : suffix)
    }
}
