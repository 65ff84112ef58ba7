// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets
import ReactiveSupport

extension Kernel {
    /// The largest payload of a datagram: 65,535 bytes without the headers, of which IPv6 does not count its own.
    private static func largestPayload(_ target: IPAddress) -> Int { target.isFour ? 65_507 : 65_527 }

    /// Sets the peer of a UDP socket (connect(2)). It sends no packet.
    mutating func connect(_ socket: UDPSocket, _ target: SocketAddress) -> Int32 {
        if let code = Self.familyError(socket.family, target) { return code }
        let peer = Self.destination(Endpoint(target))
        if peer.address.isBroadcast, !socket.options.broadcasts { return EACCES }
        if socket.options.isIPv6Only, peer.address.isFour { return ENETUNREACH }
        let source = hosts[socket.host].source(to: peer.address)
        if socket.address.binding == nil, !claim(socket, Endpoint(socket.address.local.address, 0)) { return EAGAIN }
        guard let binding = socket.address.binding else { return EAGAIN }
        if binding.address.isWildcard { socket.address.local = Endpoint(source, binding.port) }
        socket.address.remote = peer
        return 0
    }

    /// Sends a datagram (sendto(2)). Returns the number of bytes, or a negative error number.
    ///
    /// A lost datagram and one that nobody receives are sent successfully too.
    mutating func send(_ socket: UDPSocket, _ memory: UnsafeRawBufferPointer, to peer: SocketAddress?) -> Int {
        // A port is claimed even if the call then fails.
        if socket.address.binding == nil, !claim(socket, Endpoint(socket.address.local.address, 0)) {
            return -Int(EAGAIN)
        }
        let target: Endpoint
        if let peer {
            if socket.family == .ipv4, peer.family != .ipv4 { return -Int(EAFNOSUPPORT) }
            if peer.family == .unix { return -Int(EINVAL) }
            target = Self.destination(Endpoint(peer))
        } else if let remote = socket.address.remote {
            target = remote
        } else {
            return -Int(EDESTADDRREQ)
        }
        if target.port == 0 { return -Int(EINVAL) }
        if target.address.isBroadcast, !socket.options.broadcasts { return -Int(EACCES) }
        if socket.options.isIPv6Only, target.address.isFour { return -Int(ENETUNREACH) }
        if memory.count > Self.largestPayload(target.address) { return -Int(EMSGSIZE) }
        if socket.pendingError != 0 { return -Int(socket.takeError()) }
        if socket.isFinished { return -Int(EPIPE) }
        unsafe transmit(socket, Array(memory), to: target)
        return memory.count
    }

    private mutating func transmit(_ socket: UDPSocket, _ bytes: [UInt8], to target: Endpoint) {
        guard let host = host(of: target.address, from: socket.host) else { return }
        let local = socket.address.local
        let source = local.address.isWildcard ? hosts[socket.host].source(to: target.address) : local.address
        let packet = Packet(
            bytes: bytes,
            sender: socket,
            source: Endpoint(source, local.port),
            target: target,
            host: host
        )
        let direction = Links.Direction(socket.host, host)
        record(.datagram, socket.host, peer: host, count: bytes.count)
        let copies = random.happens(links[direction].duplication) ? 2 : 1
        for _ in 0..<copies {
            guard case .arrives(var time) = fate(direction, count: bytes.count) else {
                record(.loses, socket.host, peer: host)
                continue
            }
            if random.happens(links[direction].reordering) {
                time += random.duration(0...links[direction].latency.upperBound * 10)
            }
            timeline.add(.packet(packet), at: time)
        }
    }

    /// A datagram arrives at its host.
    mutating func receive(_ packet: Packet) {
        let host = hosts[packet.host]
        if host.condition == .down { return }
        guard let socket = datagramSocket(for: packet, on: host) else { return reject(packet) }
        let memory = packet.bytes.count + UDPSocket.overhead
        // Linux drops a datagram if the buffer was full before it arrived.
        if socket.queuedMemory >= Int(socket.options.receiveBuffer) { return }
        trace.note(3, packet.host, socket.descriptor, packet.bytes.count)
        socket.arrivals.append(UDPSocket.Arrival(bytes: packet.bytes, sender: packet.source))
        socket.queuedMemory += memory
        socket.notify()
    }

    /// The socket that receives a datagram: the most specific one. A connected socket receives only from its peer. The
    /// seed picks a socket of a group (`SO_REUSEPORT`).
    private mutating func datagramSocket(for packet: Packet, on host: Host) -> UDPSocket? {
        var best: [UDPSocket] = []
        var precision = -1
        for binding in host.datagramPorts.bindings(at: packet.target.port) where binding.accepts(packet.target.address)
        {
            guard let socket = binding.socket as? UDPSocket else { continue }
            if let remote = socket.address.remote, remote != packet.source { continue }
            let own = binding.precision + (socket.address.remote == nil ? 0 : 4)
            if own < precision { continue }
            if own > precision { best.removeAll() }
            precision = own
            best.append(socket)
        }
        return best.count < 2 ? best.first : best[random.below(best.count)]
    }

    /// Tells the sender that no socket receives its datagram (ICMP port unreachable). Only a connected socket learns it.
    private mutating func reject(_ packet: Packet) {
        guard packet.sender.address.remote == packet.target else { return }
        let direction = Links.Direction(packet.host, packet.sender.host)
        if case .arrives(let time) = fate(direction) { timeline.add(.unreachable(packet.sender), at: time) }
    }

    /// The message of ``reject(_:)`` arrives.
    mutating func receiveUnreachable(_ socket: UDPSocket) {
        guard socket.descriptor >= 0, socket.address.remote != nil else { return }
        trace.note(4, socket.host, socket.descriptor, 0)
        socket.pendingError = ECONNREFUSED
        socket.notify()
    }

    /// Receives a datagram (recvfrom(2) with `MSG_TRUNC`). Returns its length and its sender, or a negative error number.
    func receive(
        _ socket: UDPSocket,
        _ memory: UnsafeMutableRawBufferPointer
    ) -> (result: Int, peer: SocketAddress?) {
        if socket.pendingError != 0 { return (-Int(socket.takeError()), nil) }
        guard let first = socket.takeArrival() else { return (-Int(EAGAIN), nil) }
        unsafe Self.copy(first.bytes, into: memory)
        return (first.bytes.count, first.sender.socketAddress(socket.family))
    }

    /// Copies as many bytes as fit.
    static func copy(_ bytes: [UInt8], into memory: UnsafeMutableRawBufferPointer) {
        unsafe bytes.withUnsafeBytes { bytes in
            let count = min(bytes.count, memory.count)
            unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
    }

    /// Closes a UDP socket. Datagrams that have not been received are lost.
    mutating func close(_ socket: UDPSocket) {
        releaseBinding(socket)
        while socket.takeArrival() != nil {}
    }
}
