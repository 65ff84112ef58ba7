// SPDX-License-Identifier: MIT
import ReactiveSockets
import ReactiveSupport

/// A claim of a socket on an address and a port. It also stays for the time of TIME_WAIT.
final class Binding {
    fileprivate(set) var address: IPAddress
    fileprivate(set) var port: UInt16
    let family: SocketAddress.Family
    /// Whether `bind`, `listen` or a UDP socket has claimed the port. False if a TCP connection has.
    let isBound: Bool
    /// Whether the program has chosen the port (`SOCK_BINDPORT_LOCK`). A failed connection releases any other port.
    let isLocked: Bool
    var reusesAddress: Bool
    var reusesPort: Bool
    var isIPv6Only: Bool
    fileprivate(set) var isListening = false
    /// Whether a UDP socket was bound to all addresses, and was then connected. Linux then still counts it among the
    /// sockets of IPv4, unless `IPV6_V6ONLY` is set.
    fileprivate(set) var isNarrowed = false
    /// The instant after which the binding no longer counts, for a connection that has ended.
    var expiry = Int64.max
    fileprivate var index = 0
    /// When the port was claimed.
    fileprivate var claimOrder = 0
    /// The order in which UDP sockets on one address are searched: of equal sockets, the one with the highest number
    /// receives.
    fileprivate(set) var searchOrder = 0
    /// The group of a UDP socket that was bound with `SO_REUSEPORT`.
    fileprivate(set) var group: PortGroup?
    /// The socket, until it is closed.
    weak var socket: SocketObject?

    init(_ socket: SocketObject, _ endpoint: Endpoint, isBound: Bool = true) {
        self.socket = socket
        address = endpoint.address
        port = endpoint.port
        family = socket.family
        self.isBound = isBound
        isLocked = isBound && endpoint.port != 0
        reusesAddress = socket.options.reusesAddress
        reusesPort = socket.options.reusesPort
        isIPv6Only = socket.options.isIPv6Only
    }

    /// Whether a packet to some address may go to both sockets. An IPv6 wildcard covers IPv4 too, unless `IPV6_V6ONLY`
    /// is set.
    fileprivate func overlaps(_ other: Binding) -> Bool {
        accepts(other.address) || other.accepts(address)
    }

    /// The same for UDP.
    fileprivate func overlapsAsDatagrams(_ other: Binding) -> Bool {
        overlaps(other) || (address == .anyFour && other.isNarrowed && !other.isIPv6Only)
    }

    /// Whether a packet to `target` may go to this socket.
    func accepts(_ target: IPAddress) -> Bool {
        if address == target { return true }
        if address == .anyFour { return target.isFour }
        return address == .anySix && (!isIPv6Only || !target.isFour)
    }

    /// How specific the binding is: a packet goes to the most specific one.
    var precision: Int { address == .anySix ? 0 : address == .anyFour ? 1 : 2 }
}

/// The bindings of one protocol on one host, by port.
///
/// The rules for conflicts are Linux's: `inet_csk_bind_conflict` for TCP, `udp_lib_lport_inuse` for UDP, and socket(7).
/// Users are left out: every socket of a host has the same user.
struct PortTable {
    private var bindings: [UInt16: [Binding]] = [:]
    /// The bindings of listening sockets. A port with thousands of connections has few of them.
    private var listening: [UInt16: [Binding]] = [:]
    /// The number of bindings of a port that a program has bound.
    private var boundCounts: [UInt16: Int] = [:]
    /// The ports that have a binding, and those that a program has bound.
    private var taken = EphemeralPorts()
    private var bound = EphemeralPorts()
    private var lastOrder = 0
    /// Bindings of ended connections, almost in the order of their expiry: TIME_WAIT always has the same duration, but a
    /// bound socket that has ended is added only when it is closed. If others are before it, its port stays unavailable to
    /// connections for up to a minute more.
    private var expiring = FIFO<Binding>()

    /// Whether another socket prevents the binding.
    func conflicts(_ new: Binding, port: UInt16, now: Int64) -> Bool {
        guard let others = bindings[port] else { return false }
        return others.contains { old in
            if old === new || old.expiry <= now || !old.overlaps(new) { return false }
            if old.reusesPort && new.reusesPort { return false }
            return !(old.reusesAddress && new.reusesAddress && !old.isListening)
        }
    }

    /// Whether another UDP socket prevents the binding. The newest ones are compared first. The first one that shares
    /// the port by `SO_REUSEPORT` permits it (`udp_lib_lport_inuse`).
    func datagramConflicts(_ new: Binding, port: UInt16) -> Bool {
        guard let others = bindings[port] else { return false }
        for old in others.sorted(by: { $0.claimOrder > $1.claimOrder }) {
            if old === new || !new.overlapsAsDatagrams(old) { continue }
            if old.reusesAddress && new.reusesAddress { continue }
            return !(old.reusesPort && new.reusesPort)
        }
        return false
    }

    /// Adds a UDP socket to the group of its address, if it has `SO_REUSEPORT`.
    func joinGroup(_ new: Binding) {
        if !new.reusesPort { return }
        // Linux appends such sockets to its list.
        if new.family == .ipv6 { new.searchOrder = -new.searchOrder }
        let other = bindings(at: new.port).first { old in
            old !== new && old.reusesPort && old.family == new.family && old.isIPv6Only == new.isIPv6Only
                && old.address == new.address
        }
        let group = other?.group ?? PortGroup()
        other?.group = group
        new.group = group
    }

    /// Changes the address of a UDP socket. It becomes the newest one there, and leaves its group.
    mutating func move(_ binding: Binding, to address: IPAddress) {
        lastOrder += 1
        binding.searchOrder = lastOrder
        binding.address = address
        binding.isNarrowed = true
        binding.group = nil
    }

    /// Adds a binding without a check.
    mutating func insert(_ binding: Binding) {
        lastOrder += 1
        binding.claimOrder = lastOrder
        binding.searchOrder = lastOrder
        binding.index = bindings[binding.port, default: []].count
        bindings[binding.port, default: []].append(binding)
        taken.insert(binding.port)
        if binding.isBound {
            boundCounts[binding.port, default: 0] += 1
            bound.insert(binding.port)
        }
    }

    mutating func remove(_ binding: Binding) {
        stopListening(binding)
        guard var list = bindings.removeValue(forKey: binding.port) else { return }
        guard list.indices.contains(binding.index), list[binding.index] === binding else {
            bindings[binding.port] = list
            return
        }
        let last = list.removeLast()
        if last !== binding {
            list[binding.index] = last
            last.index = binding.index
        }
        if list.isEmpty { taken.remove(binding.port) } else { bindings[binding.port] = list }
        guard binding.isBound, let count = boundCounts[binding.port] else { return }
        boundCounts[binding.port] = count > 1 ? count - 1 : nil
        if count == 1 { bound.remove(binding.port) }
    }

    /// Gives the binding of a socket that only binds a free port of the ephemeral range. Returns false if there is none.
    mutating func insertAtEphemeralPort(_ binding: Binding, now: Int64, _ random: inout SimulationRandom) -> Bool {
        guard let port = taken.free(notIn: EphemeralPorts(), &random) ?? sharedPort(binding, now: now, &random) else {
            return false
        }
        binding.port = port
        insert(binding)
        return true
    }

    /// A port of the ephemeral range that the binding can share with the others there.
    private func sharedPort(_ binding: Binding, now: Int64, _ random: inout SimulationRandom) -> UInt16? {
        let start = EphemeralPorts.range.lowerBound + UInt16(random.below(EphemeralPorts.range.count))
        let isFree = { port in !conflicts(binding, port: port, now: now) }
        return (start...EphemeralPorts.range.upperBound).first(where: isFree)
            ?? (EphemeralPorts.range.lowerBound..<start).first(where: isFree)
    }

    /// Gives the binding of a socket that connects a port of the ephemeral range. Returns false if there is none.
    ///
    /// A port that a program has bound is not used for connections. Connections to different endpoints share a port.
    ///
    /// - Parameter used: The ports from which the socket's host has a connection to the same endpoint.
    mutating func insertAtEphemeralPort(
        _ binding: Binding,
        notIn used: EphemeralPorts,
        _ random: inout SimulationRandom
    ) -> Bool {
        guard let port = bound.free(notIn: used, &random) else { return false }
        binding.port = port
        insert(binding)
        return true
    }

    /// Marks the binding as that of a listening socket.
    mutating func listen(_ binding: Binding) {
        binding.isListening = true
        listening[binding.port, default: []].append(binding)
    }

    private mutating func stopListening(_ binding: Binding) {
        if !binding.isListening { return }
        binding.isListening = false
        let others = listeners(at: binding.port).filter { $0 !== binding }
        listening[binding.port] = others.isEmpty ? nil : others
    }

    /// Keeps the binding of an ended connection until an instant.
    mutating func expire(_ binding: Binding, at expiry: Int64, now: Int64) {
        // A server that never connects must not keep all its ended connections.
        purge(now: now)
        binding.expiry = expiry
        stopListening(binding)
        expiring.append(binding)
    }

    /// Removes the expired bindings.
    mutating func purge(now: Int64) {
        while let first = expiring.first, first.expiry <= now {
            remove(first)
            _ = expiring.popFirst()
        }
    }

    /// The bindings of a port.
    @inline(__always)
    func bindings(at port: UInt16) -> [Binding] { bindings[port] ?? [] }

    /// The bindings of the sockets that listen at a port.
    func listeners(at port: UInt16) -> [Binding] { listening[port] ?? [] }

    /// The sockets that have a port, in the order of the ports. They include closed ones that still send.
    var sockets: [SocketObject] {
        bindings.sorted { $0.key < $1.key }.flatMap { _, list in list.compactMap(\.socket) }
    }
}

/// The connections of one host by their two endpoints, including those in TIME_WAIT.
struct TupleTable {
    struct Tuple: Hashable {
        let local: Endpoint
        let remote: Endpoint
    }

    /// The two endpoints without the local port.
    private struct Route: Hashable {
        let source: IPAddress
        let remote: Endpoint
    }

    /// The end of TIME_WAIT of each connection. `Int64.max` if the connection has not ended.
    private var expiries: [Tuple: Int64] = [:]
    /// The ends of TIME_WAIT in their order. A tuple may have been opened again.
    private var expiring = FIFO<(tuple: Tuple, expiry: Int64)>()
    private var ports: [Route: EphemeralPorts] = [:]

    /// The ephemeral ports from which there is a connection from `source` to `remote`.
    mutating func ports(from source: IPAddress, to remote: Endpoint, now: Int64) -> EphemeralPorts {
        purge(now: now)
        return ports[Route(source: source, remote: remote)] ?? EphemeralPorts()
    }

    /// Whether there is a connection that has not ended.
    func isOpen(_ tuple: Tuple) -> Bool { expiries[tuple] == .max }

    mutating func insert(_ tuple: Tuple) {
        expiries[tuple] = .max
        if !EphemeralPorts.range.contains(tuple.local.port) { return }
        ports[Route(source: tuple.local.address, remote: tuple.remote), default: EphemeralPorts()]
            .insert(tuple.local.port)
    }

    mutating func remove(_ tuple: Tuple) {
        if isOpen(tuple) { forget(tuple) }
    }

    /// Keeps the tuple until an instant. It always has the same distance from the present one.
    mutating func wait(_ tuple: Tuple, until expiry: Int64, now: Int64) {
        purge(now: now)
        expiries[tuple] = expiry
        expiring.append((tuple, expiry))
    }

    private mutating func purge(now: Int64) {
        while let first = expiring.first, first.expiry <= now {
            _ = expiring.popFirst()
            if expiries[first.tuple] == first.expiry { forget(first.tuple) }
        }
    }

    private mutating func forget(_ tuple: Tuple) {
        expiries[tuple] = nil
        let route = Route(source: tuple.local.address, remote: tuple.remote)
        ports[route]?.remove(tuple.local.port)
        if ports[route]?.isEmpty == true { ports[route] = nil }
    }
}
