// SPDX-License-Identifier: MIT
import ReactiveSockets

/// Sockets that share one address by `SO_REUSEPORT` since they were bound.
final class PortGroup {
    /// Whether a member has been connected. Other sockets on the port are then compared with the group.
    var hasConnections = false
}

/// The search of UDP sockets by port. Its results are those of `__udp4_lib_lookup` and `__udp6_lib_lookup`.
extension Kernel {
    /// The socket that receives a datagram from `remote`, or nil.
    ///
    /// A socket that is bound to the address has precedence over one that is bound to all addresses. A connected socket
    /// receives only from its peer, and has precedence over others. Of equal sockets the newest one receives, or a
    /// member of its group. A flow, which is a pair of endpoints, always goes to the same member.
    func datagramSocket(at local: Endpoint, from remote: Endpoint, on host: Host) -> UDPSocket? {
        let bindings = host.datagramPorts.bindings(at: local.port)
        let own = newestFirst(bindings) { $0.address == local.address }
        if let socket = best(of: own, from: remote, at: local) { return socket }
        let general = newestFirst(bindings) { $0.address.isWildcard && $0.accepts(local.address) }
        return best(of: general, from: remote, at: local)
    }

    /// The sockets that receive a broadcast. Each gets a copy.
    func broadcastSockets(for packet: Packet, on host: Host) -> [UDPSocket] {
        let bindings = host.datagramPorts.bindings(at: packet.target.port)
        return newestFirst(bindings) { $0.accepts(packet.target.address) }.compactMap { binding in
            guard let socket = binding.socket as? UDPSocket else { return nil }
            return socket.remote.map { $0 == packet.source } ?? true ? socket : nil
        }
    }

    private func newestFirst(_ bindings: [Binding], where matches: (Binding) -> Bool) -> [Binding] {
        if bindings.count == 1 { return matches(bindings[0]) ? bindings : [] }
        return bindings.filter(matches).sorted { $0.searchOrder > $1.searchOrder }
    }

    private func best(of bindings: [Binding], from remote: Endpoint, at local: Endpoint) -> UDPSocket? {
        var best: UDPSocket?
        var highest = 0
        for binding in bindings {
            guard let socket = binding.socket as? UDPSocket,
                let score = score(socket, from: remote, isFour: local.address.isFour), score > highest
            else { continue }
            highest = score
            best = socket
            if socket.remote != nil || !binding.reusesPort { continue }
            guard let group = binding.group, let member = member(of: group, bindings, from: remote, at: local) else {
                continue
            }
            // Without connected members, Linux does not look for a better socket.
            if !group.hasConnections { return member }
            best = member
        }
        return best
    }

    /// How well a socket suits, or nil if it does not receive from `remote`. For IPv4, a socket of IPv4 is better.
    private func score(_ socket: UDPSocket, from remote: Endpoint, isFour: Bool) -> Int? {
        let family = isFour && socket.family == .ipv4 ? 2 : 1
        guard let peer = socket.remote else { return family }
        return peer == remote ? family + 8 : nil
    }

    /// The unconnected member of a group to which a flow belongs. The seed takes part in the choice.
    private func member(
        of group: PortGroup,
        _ bindings: [Binding],
        from remote: Endpoint,
        at local: Endpoint
    ) -> UDPSocket? {
        let members = bindings.filter { $0.group === group }.sorted { $0.searchOrder < $1.searchOrder }
        var mixer = SimulationRandom(seed: flowSeed)
        for endpoint in [remote, local] {
            for word in [endpoint.address.high, endpoint.address.low, UInt64(endpoint.port)] {
                mixer = SimulationRandom(seed: mixer.next() ^ word)
            }
        }
        let start = mixer.below(members.count)
        for step in members.indices {
            guard let socket = members[(start + step) % members.count].socket as? UDPSocket else { continue }
            if socket.remote == nil { return socket }
        }
        return nil
    }

    /// Binds a socket that is bound to all addresses to `address`, because it is being connected.
    mutating func narrow(_ socket: UDPSocket, to address: IPAddress) {
        guard let binding = socket.binding, binding.address.isWildcard else { return }
        hosts[socket.host].datagramPorts.move(binding, to: address)
        socket.local = Endpoint(address, binding.port)
    }
}
