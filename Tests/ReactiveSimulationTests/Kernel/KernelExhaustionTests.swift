// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets
import SchedulerConformance
import Testing

@testable import ReactiveSimulation

/// Hosts whose ephemeral ports are all in use.
@Suite struct KernelExhaustionTests {
    private let portCount = EphemeralPorts.range.count

    /// Connects until the call fails, and accepts all connections. The last two thousand calls may cost 20 times what the
    /// first ones cost. A search of all connections in each call costs some hundred times that.
    private func connectAll(_ lab: KernelLab, port: UInt16) -> (clients: [Int32], servers: [Int32]) {
        let listener = lab.listen(port: port, backlog: 4_096)
        var (clients, servers): ([Int32], [Int32]) = ([], [])
        var times = [Platform.threadTime]
        while let socket = connect(lab, port: port) {
            clients.append(socket)
            if clients.count % 100 == 0 { accept(lab, listener, &servers) }
            if clients.count % 2_000 == 0 { times.append(Platform.threadTime) }
        }
        accept(lab, listener, &servers)
        #expect(clients.count == portCount && servers.count == portCount)
        let costs = zip(times.dropFirst(), times).map { $0 - $1 }
        #expect(costs[costs.count - 1] < costs[0] * 20, "\(costs)")
        #expect(Set(clients.map { lab.client.localAddress($0)?.port }).count == portCount)
        return (clients, servers)
    }

    private func accept(_ lab: KernelLab, _ listener: Int32, _ servers: inout [Int32]) {
        lab.settle()
        while case let socket = lab.server.accept(listener).result, socket >= 0 { servers.append(socket) }
    }

    /// Connects. Returns `nil` if no port is free.
    private func connect(_ lab: KernelLab, port: UInt16) -> Int32? {
        let socket = lab.client.open(.stream, .ipv4)
        let result = lab.client.connect(socket, lab.server.address(port: port))
        if result == EINPROGRESS { return socket }
        #expect(result == EADDRNOTAVAIL && lab.client.close(socket) == 0)
        return nil
    }

    private func canConnect(_ lab: KernelLab, port: UInt16) -> Bool { connect(lab, port: port) != nil }

    @Test("Every ephemeral port connects once to an endpoint, and again after TIME_WAIT")
    func connections() {
        let lab = KernelLab(descriptorLimit: 65_536)
        let (clients, servers) = connectAll(lab, port: 80)
        // Many calls fail, each at once.
        for _ in 0..<2_000 { #expect(!canConnect(lab, port: 80)) }
        // Connections to another endpoint share the ports.
        _ = lab.listen(port: 81)
        #expect(canConnect(lab, port: 81))
        // The side that closes first keeps the port for a minute.
        #expect(lab.client.close(clients[0]) == 0)
        lab.settle()
        let ended = servers.filter { lab.server.receiveCount($0, limit: 1) == 0 }
        #expect(ended.count == 1 && lab.server.close(ended[0]) == 0)
        lab.settle()
        #expect(!canConnect(lab, port: 80))
        lab.advance(.seconds(59))
        #expect(!canConnect(lab, port: 80))
        lab.advance(.seconds(2))
        #expect(canConnect(lab, port: 80) && !canConnect(lab, port: 80))
    }

    @Test("A port is free at once after a reset, also if all others are in use")
    func resets() {
        let lab = KernelLab(descriptorLimit: 65_536)
        var (clients, _) = connectAll(lab, port: 80)
        for round in 0..<2_000 {
            let place = round * 7 % clients.count
            let port = lab.client.localAddress(clients[place])?.port
            #expect(lab.client.setZeroLinger(clients[place]) == 0 && lab.client.close(clients[place]) == 0)
            clients[place] = lab.connect(port: 80)
            #expect(lab.client.localAddress(clients[place])?.port == port)
        }
    }

    @Test("Sockets that only bind get every ephemeral port", arguments: [SocketType.stream, .datagram])
    func binding(_ kind: SocketType) {
        let host = KernelLab(descriptorLimit: 65_536).client
        let addresses = (1...2).map { SocketAddress(family: .ipv4, bytes: [127, 0, 0, UInt8($0)], port: 0) }
        // Sockets with another address share the ports.
        for (address, count) in zip(addresses, [portCount, 2_000]) {
            var ports: Set<UInt16> = []
            for _ in 0..<count {
                let socket = host.open(kind, .ipv4)
                #expect(host.bind(socket, address) == 0)
                ports.insert(host.localAddress(socket)?.port ?? 0)
            }
            #expect(ports.count == count)
        }
        #expect(host.bind(host.open(kind, .ipv4), addresses[0]) == EADDRINUSE)
    }

    @Test("A set of ports finds the first free port from a random one on, cyclically")
    func ports() {
        var random = SimulationRandom(seed: 1)
        for share in [0.1, 0.9, 0.999, 1] {
            var (taken, others): (EphemeralPorts, EphemeralPorts) = (EphemeralPorts(), EphemeralPorts())
            var free = Set(EphemeralPorts.range)
            for port in EphemeralPorts.range where random.happens(share) {
                if random.happens(0.5) { taken.insert(port) } else { others.insert(port) }
                free.remove(port)
            }
            for _ in 0..<50 {
                var copy = random
                let found = taken.free(notIn: others, &random)
                let start = EphemeralPorts.range.lowerBound + UInt16(copy.below(portCount))
                let expected =
                    (start...EphemeralPorts.range.upperBound).first { free.contains($0) }
                    ?? (EphemeralPorts.range.lowerBound..<start).first { free.contains($0) }
                #expect(found == expected)
            }
            for port in EphemeralPorts.range {
                taken.remove(port)
                taken.remove(port)
            }
            #expect(taken.isEmpty)
        }
    }
}
