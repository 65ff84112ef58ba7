// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets

extension Kernel {
    /// Binds an IP socket (bind(2), ip(7)).
    mutating func bind(_ socket: IPSocket, _ target: SocketAddress) -> Int32 {
        if socket.isBound { return EINVAL }
        if let code = Self.familyError(socket.family, target) { return code }
        let endpoint = Endpoint(target)
        let isOwn = endpoint.address.isWildcard || endpoint.address.isBroadcast
        if !isOwn, !hosts[socket.host].has(endpoint.address) { return EADDRNOTAVAIL }
        if socket.family == .ipv6, socket.options.isIPv6Only, endpoint.address.isFour { return EINVAL }
        guard claim(socket, endpoint) else {
            socket.isAddressLocked = false
            socket.resetAddress()
            return EADDRINUSE
        }
        socket.isAddressLocked = !endpoint.address.isWildcard
        // Such a socket can never receive from an IPv4 peer (`__inet6_bind`).
        if socket.family == .ipv6, !endpoint.address.isWildcard, !endpoint.address.isFour {
            socket.options.becomeIPv6Only()
        }
        return 0
    }

    /// Gives a socket a port. A port of 0 stands for any free one.
    mutating func claim(_ socket: IPSocket, _ endpoint: Endpoint) -> Bool {
        let binding = Binding(socket, endpoint)
        let isClaimed = withPorts(of: socket) { ports, now, random in
            ports.purge(now: now)
            if endpoint.port == 0 { return ports.insertAtEphemeralPort(binding, now: now, &random) }
            let isTaken =
                socket.kind == .datagram
                ? ports.datagramConflicts(binding, port: endpoint.port)
                : ports.conflicts(binding, port: endpoint.port, now: now)
            if isTaken { return false }
            ports.insert(binding)
            return true
        }
        if isClaimed {
            if socket.kind == .datagram { hosts[socket.host].datagramPorts.joinGroup(binding) }
            socket.binding = binding
            socket.local = Endpoint(endpoint.address, binding.port)
        }
        return isClaimed
    }

    /// Calls `body` with the ports of the socket's protocol.
    mutating func withPorts<Result>(
        of socket: IPSocket,
        _ body: (inout PortTable, _ now: Int64, inout SimulationRandom) -> Result
    ) -> Result {
        let host = hosts[socket.host]
        return socket.kind == .stream
            ? body(&host.streamPorts, now, &random) : body(&host.datagramPorts, now, &random)
    }

    /// Gives up the socket's port, at once or at `expiry`.
    mutating func releaseBinding(_ socket: IPSocket, at expiry: Int64? = nil) {
        guard let binding = socket.binding else { return }
        socket.binding = nil
        withPorts(of: socket) { ports, now, _ in
            if let expiry, expiry > now { ports.expire(binding, at: expiry, now: now) } else { ports.remove(binding) }
        }
    }

    /// The error for an address of another family, as Linux checks its length and family.
    static func familyError(_ family: SocketAddress.Family, _ target: SocketAddress) -> Int32? {
        switch (family, target.family) {
        case (.ipv4, .ipv4), (.ipv6, .ipv6), (.unix, .unix): nil
        case (.ipv6, _): EINVAL
        case (.unix, _): EINVAL
        default: EAFNOSUPPORT
        }
    }

    /// The address to which a socket's packet to `target` goes: a wildcard stands for this host. For IPv4 it is the
    /// socket's own address, if it has one.
    static func destination(_ target: Endpoint, of socket: IPSocket) -> Endpoint {
        if !target.address.isWildcard { return target }
        let local = socket.local.address
        if target.address.isFour, local.isFour, !local.isWildcard, !local.isBroadcast {
            return Endpoint(local, target.port)
        }
        // A socket that is bound to an IPv4 address remains on IPv4.
        let isFour = target.address.isFour || local.isFour
        return Endpoint(isFour ? .loopbackFour : .loopbackSix, target.port)
    }

    /// The host that has an address, as seen from `host`. nil if none has it.
    func host(of address: IPAddress, from host: Int) -> Int? {
        hosts[host].has(address) ? host : routes[address]
    }
}
