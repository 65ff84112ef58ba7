// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets
import ReactiveSupport

extension Kernel {
    /// The largest payload of a datagram: 65,535 bytes minus the headers. IPv6 does not count its own header.
    private static func largestPayload(_ target: IPAddress) -> Int { target.isFour ? 65_507 : 65_527 }

    /// Sets the peer of a UDP socket (connect(2)). It sends no packet.
    mutating func connect(_ socket: UDPSocket, _ target: SocketAddress) -> Int32 {
        // A port is claimed even if the call then fails.
        if socket.binding == nil, !claim(socket, Endpoint(socket.local.address, 0)) { return EAGAIN }
        if let code = Self.familyError(socket.family, target) { return code }
        let peer = Self.destination(Endpoint(target), of: socket)
        if let code = routeError(socket, peer.address) { return code }
        if peer.address.isBroadcast, !socket.options.broadcasts { return EACCES }
        narrow(socket, to: hosts[socket.host].source(to: peer.address))
        socket.remote = peer
        socket.binding?.group?.hasConnections = true
        return 0
    }

    /// The error of a call that has no route from the socket's address to `target`.
    private func routeError(_ socket: UDPSocket, _ target: IPAddress) -> Int32? {
        if socket.options.isIPv6Only, target.isFour { return ENETUNREACH }
        let local = socket.local.address
        if local.isWildcard { return nil }
        if local.isFour, !target.isFour { return EAFNOSUPPORT }
        if local.isBroadcast, socket.family == .ipv6 { return ENETUNREACH }
        return local.isLoopback && !local.isBroadcast && !target.isBroadcast && !hosts[socket.host].has(target)
            ? EINVAL : nil
    }

    /// Sends a datagram (sendto(2)). Returns the number of bytes, or a negative error number.
    ///
    /// The call also succeeds if the datagram is lost, or if no socket receives it.
    mutating func send(_ socket: UDPSocket, _ memory: UnsafeRawBufferPointer, to peer: SocketAddress?) -> Int {
        // A port is claimed even if the call then fails.
        if socket.binding == nil, !claim(socket, Endpoint(socket.local.address, 0)) {
            return -Int(EAGAIN)
        }
        // An IPv4 socket compares the length first.
        if socket.family == .ipv4, memory.count > 65_535 { return -Int(EMSGSIZE) }
        if let peer, peer.family != socket.family, socket.family == .ipv4 || peer.family == .unix {
            return -Int(socket.family == .ipv4 ? EAFNOSUPPORT : EINVAL)
        }
        let explicit = peer.map { Self.destination(Endpoint($0), of: socket) }
        guard let target = explicit ?? socket.remote else { return -Int(EDESTADDRREQ) }
        if target.address.isFour, !socket.options.isIPv6Only, memory.count > 65_535 { return -Int(EMSGSIZE) }
        // A connected socket has passed these checks when it was connected.
        if explicit != nil {
            if target.port == 0 { return -Int(EINVAL) }
            if let code = routeError(socket, target.address) { return -Int(code) }
            if target.address.isBroadcast, !socket.options.broadcasts { return -Int(EACCES) }
        }
        if memory.count > Self.largestPayload(target.address) { return -Int(EMSGSIZE) }
        if socket.pendingError != 0 { return -Int(socket.takeError()) }
        if socket.isFinished { return -Int(EPIPE) }
        // Only the first fragment may exceed the send buffer.
        let firstFragment = MessageMemory.firstFragment(memory.count, isFour: target.address.isFour)
        if firstFragment >= 2 * Int(socket.options.sendBuffer) { return -Int(ENOBUFS) }
        unsafe transmit(socket, Array(memory), to: target)
        return memory.count
    }

    private mutating func transmit(_ socket: UDPSocket, _ bytes: [UInt8], to target: Endpoint) {
        var local = socket.local
        let needsSource = local.address.isWildcard || local.address.isBroadcast
        // A socket that was connected over IPv6 can be connected over IPv4 later.
        if needsSource || local.address.isFour != target.address.isFour {
            local.address = hosts[socket.host].source(to: target.address)
        }
        for host in receivers(of: target.address, from: socket.host) {
            transmit(Packet(bytes: bytes, origin: socket.host, source: local, target: target, host: host))
        }
    }

    /// The hosts to which a packet goes. A broadcast reaches its sender's host too.
    private func receivers(of target: IPAddress, from host: Int) -> [Int] {
        if !target.isBroadcast { return self.host(of: target, from: host).map { [$0] } ?? [] }
        return target.isLoopback ? [host] : Array(hosts.indices)
    }

    private mutating func transmit(_ packet: Packet) {
        let direction = Links.Direction(packet.origin, packet.host)
        record(.datagram, packet.origin, peer: packet.host, count: packet.bytes.count)
        let copies = random.happens(links[direction].conditions.duplication) ? 2 : 1
        if copies > 1 { record(.fault, packet.origin, "datagram duplicated") }
        for _ in 0..<copies {
            guard var time = arrival(direction, count: packet.bytes.count) else {
                record(.loses, packet.origin, peer: packet.host, isFault: true)
                continue
            }
            if random.happens(links[direction].conditions.reordering) {
                time += random.duration(0...links[direction].latency.upperBound * 10)
                record(.fault, packet.origin, "datagram delayed")
            }
            timeline.add(.packet(packet), at: time)
        }
    }

    /// A datagram arrives at its host.
    mutating func receive(_ packet: Packet) {
        let host = hosts[packet.host]
        if !host.isUp { return }
        if packet.target.address.isBroadcast {
            for socket in broadcastSockets(for: packet, on: host) { queue(packet, socket) }
        } else if let socket = datagramSocket(at: packet.target, from: packet.source, on: host) {
            queue(packet, socket)
        } else {
            reject(packet)
        }
    }

    private mutating func queue(_ packet: Packet, _ socket: UDPSocket) {
        trace.note(3, packet.host, socket.descriptor, packet.bytes.count)
        let memory = MessageMemory.datagram(packet.bytes.count, isFour: packet.target.address.isFour)
        socket.queue(packet.bytes, from: packet.source, memory: memory)
    }

    /// Notifies the sender that no socket receives its datagram (ICMP port unreachable).
    private mutating func reject(_ packet: Packet) {
        let direction = Links.Direction(packet.host, packet.origin)
        if let time = arrival(direction) { timeline.add(.unreachable(packet), at: time) }
    }

    /// The message of ``reject(_:)`` arrives. Only a socket that is connected to the datagram's target receives the
    /// error.
    mutating func receiveUnreachable(_ packet: Packet) {
        let host = hosts[packet.origin]
        if !host.isUp { return }
        guard let socket = datagramSocket(at: packet.source, from: packet.target, on: host) else { return }
        if socket.remote == nil { return }
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
