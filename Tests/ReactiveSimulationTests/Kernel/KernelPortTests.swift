// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets
import Testing

@testable import ReactiveSimulation

/// UDP sockets that share a port, and broadcasts. The results are those of Linux 6.18 for the same calls.
@Suite struct KernelPortTests {
    private let broadcast = SocketAddress(family: .ipv4, bytes: [255, 255, 255, 255], port: 53)
    private let anywhere = SocketAddress(family: .ipv4, bytes: [0, 0, 0, 0], port: 53)

    /// A socket of a host that is bound to an address.
    private func bound(
        _ host: HostKernel,
        _ address: SocketAddress,
        _ options: [Int32] = [],
        _ family: SocketAddress.Family = .ipv4
    ) -> Int32 {
        let socket = host.open(.datagram, family)
        for option in options { #expect(host.setOption(socket, level: SOL_SOCKET, name: option, value: 1) == 0) }
        #expect(host.bind(socket, address) == 0)
        return socket
    }

    /// The numbers of datagrams that each socket has received.
    private func counts(_ host: HostKernel, _ sockets: [Int32]) -> [Int] {
        sockets.map { socket in
            var count = 0
            while host.receiveText(socket).count >= 0 { count += 1 }
            return count
        }
    }

    /// Sends `count` datagrams, each from a socket of its own.
    private func send(_ lab: KernelLab, _ count: Int, to address: SocketAddress) {
        for _ in 0..<count {
            let socket = lab.client.open(.datagram, .ipv4)
            #expect(lab.client.sendText(socket, "x", to: address) == 1)
            #expect(lab.client.close(socket) == 0)
        }
        lab.settle()
    }

    @Test("A broadcast needs SO_BROADCAST")
    func broadcastIsRefused() {
        let host = KernelLab().client
        let socket = host.open(.datagram, .ipv4)
        #expect(host.sendText(socket, "x", to: broadcast) == -Int(EACCES))
        #expect(host.connect(socket, broadcast) == EACCES && host.remoteAddress(socket) == nil)
        #expect(host.setOption(socket, level: SOL_SOCKET, name: SO_BROADCAST, value: 1) == 0)
        #expect(host.sendText(socket, "x", to: broadcast) == 1)
        #expect(host.connect(socket, broadcast) == 0)
        // The right was checked when the socket was connected.
        #expect(host.setOption(socket, level: SOL_SOCKET, name: SO_BROADCAST, value: 0) == 0)
        #expect(host.send(socket, "x") == 1)
    }

    @Test(
        "A broadcast reaches each socket that is bound to all addresses, on every host",
        arguments: [[255, 255], [10, 255]]
    )
    func broadcastArrives(ends: [UInt8]) {
        let lab = KernelLab()
        let receivers = [bound(lab.server, anywhere, [SO_REUSEADDR]), bound(lab.server, anywhere, [SO_REUSEADDR])]
        let specific = bound(lab.server, lab.server.address(port: 53), [SO_REUSEADDR])
        let own = bound(lab.client, anywhere)
        let sender = lab.client.open(.datagram, .ipv4)
        #expect(lab.client.setOption(sender, level: SOL_SOCKET, name: SO_BROADCAST, value: 1) == 0)
        let address = SocketAddress(family: .ipv4, bytes: [ends[0], 255, 255, ends[1]], port: 53)
        #expect(lab.client.sendText(sender, "x", to: address) == 1)
        lab.settle()
        #expect(lab.server.receiveText(receivers[0]).peer?.host == "10.0.0.2")
        #expect(counts(lab.server, [receivers[1], specific]) == [1, 0])
        #expect(counts(lab.client, [own]) == [1])
    }

    @Test("With SO_REUSEADDR the newest socket receives, and after its end the one before it")
    func reuseAddress() {
        let lab = KernelLab()
        let address = lab.server.address(port: 53)
        let sockets = (0..<3).map { _ in bound(lab.server, address, [SO_REUSEADDR]) }
        let all = bound(lab.server, anywhere, [SO_REUSEADDR])
        send(lab, 5, to: address)
        #expect(counts(lab.server, sockets + [all]) == [0, 0, 5, 0])
        #expect(lab.server.close(sockets[2]) == 0)
        send(lab, 5, to: address)
        #expect(counts(lab.server, [sockets[0], sockets[1], all]) == [0, 5, 0])
    }

    @Test("With SO_REUSEPORT a flow stays on one socket, flows are spread, and the seed decides")
    func reusePort() {
        func distribution(seed: UInt64) -> [Int] {
            let lab = KernelLab(seed: seed)
            let address = lab.server.address(port: 53)
            let sockets = (0..<3).map { _ in bound(lab.server, address, [SO_REUSEPORT]) }
            let flow = bound(lab.client, lab.client.address(port: 2_000))
            for _ in 0..<20 { #expect(lab.client.sendText(flow, "x", to: address) == 1) }
            lab.settle()
            #expect(counts(lab.server, sockets).sorted() == [0, 0, 20])
            for port: UInt16 in 3_000..<3_090 {
                let socket = bound(lab.client, lab.client.address(port: port))
                #expect(lab.client.sendText(socket, "x", to: address) == 1)
                #expect(lab.client.close(socket) == 0)
            }
            lab.settle()
            return counts(lab.server, sockets)
        }
        let first = distribution(seed: 1)
        #expect(first.reduce(0, +) == 90 && first.allSatisfy { (10...50).contains($0) }, "\(first)")
        #expect(distribution(seed: 1) == first)
        #expect((2...5).contains { distribution(seed: $0) != first })
    }

    @Test("A connected socket of a group receives from its peer, and the others receive the rest")
    func connectedMember() {
        let lab = KernelLab()
        let address = lab.server.address(port: 53)
        let sockets = (0..<2).map { _ in bound(lab.server, address, [SO_REUSEPORT]) }
        let peer = bound(lab.client, lab.client.address(port: 2_000))
        #expect(lab.server.connect(sockets[1], lab.client.address(port: 2_000)) == 0)
        for _ in 0..<5 { #expect(lab.client.sendText(peer, "x", to: address) == 1) }
        send(lab, 20, to: address)
        #expect(counts(lab.server, sockets) == [20, 5])
    }

    @Test("A socket that is bound to all addresses receives only at its own address once it is connected")
    func narrowed() {
        let lab = KernelLab()
        let socket = bound(lab.server, anywhere)
        let peer = bound(lab.client, lab.client.address(port: 2_000))
        let second = SocketAddress(family: .ipv4, bytes: [127, 0, 0, 2], port: 53)
        let local = bound(lab.server, SocketAddress(family: .ipv4, bytes: [0, 0, 0, 0], port: 2_000))
        #expect(lab.server.sendText(local, "x", to: second) == 1)
        lab.settle()
        #expect(counts(lab.server, [socket]) == [1])
        #expect(lab.server.connect(socket, lab.client.address(port: 2_000)) == 0)
        #expect(lab.server.localAddress(socket) == lab.server.address(port: 53))
        #expect(lab.server.sendText(local, "x", to: second) == 1)
        #expect(lab.client.sendText(peer, "y", to: lab.server.address(port: 53)) == 1)
        lab.settle()
        #expect(lab.server.receiveText(socket).text == "y" && counts(lab.server, [socket]) == [0])
        // Another socket can have the address that it has left.
        #expect(lab.server.bind(lab.server.open(.datagram, .ipv4), second) == 0)
    }

    @Test("A refusal by an earlier peer is ignored")
    func lateRefusal() {
        let lab = KernelLab()
        let socket = lab.client.open(.datagram, .ipv4)
        _ = bound(lab.server, lab.server.address(port: 53))
        #expect(lab.client.connect(socket, lab.server.address(port: 9)) == 0 && lab.client.send(socket, "x") == 1)
        #expect(lab.client.connect(socket, lab.server.address(port: 53)) == 0)
        lab.settle()
        #expect(lab.client.error(socket) == 0 && lab.client.send(socket, "x") == 1)
        #expect(lab.client.connect(socket, lab.server.address(port: 9)) == 0 && lab.client.send(socket, "x") == 1)
        lab.settle()
        #expect(lab.client.error(socket) == ECONNREFUSED)
    }

    @Test("A dual-stack socket receives over both families, and a socket of IPv4 has precedence")
    func dualStack() {
        let lab = KernelLab()
        let six = SocketAddress(family: .ipv6, bytes: [UInt8](repeating: 0, count: 16), port: 53)
        let both = bound(lab.server, six, [SO_REUSEADDR], .ipv6)
        let sender = lab.client.open(.datagram, .ipv6)
        #expect(lab.client.sendText(sender, "six", to: lab.server.ipv6Address(port: 53)) == 3)
        lab.settle()
        #expect(lab.server.receiveText(both).peer?.host == "fd00::2")
        send(lab, 1, to: lab.server.address(port: 53))
        #expect(lab.server.receiveText(both).peer?.host == "::ffff:10.0.0.2")
        #expect(lab.server.bind(lab.server.open(.datagram, .ipv4), anywhere) == EADDRINUSE)
        let four = bound(lab.server, anywhere, [SO_REUSEADDR])
        send(lab, 3, to: lab.server.address(port: 53))
        #expect(counts(lab.server, [both, four]) == [0, 3])
        #expect(lab.server.close(four) == 0)
        send(lab, 3, to: lab.server.address(port: 53))
        #expect(counts(lab.server, [both]) == [3])
    }

    @Test("After a connect, a socket of all addresses still excludes IPv4 sockets of all addresses", arguments: [0, 1])
    func connectedDualStack(isIPv6Only: Int32) {
        let host = KernelLab().client
        let six = host.open(.datagram, .ipv6)
        #expect(host.setOption(six, level: Int32(IPPROTO_IPV6), name: IPV6_V6ONLY, value: isIPv6Only) == 0)
        #expect(host.connect(six, SocketAddress(family: .ipv6, bytes: loopbackSix, port: 1)) == 0)
        let port = host.localAddress(six)?.port ?? 0
        let (all, one) = (host.open(.datagram, .ipv4), host.open(.datagram, .ipv4))
        let anywhere = SocketAddress(family: .ipv4, bytes: [0, 0, 0, 0], port: port)
        #expect(host.bind(all, anywhere) == (isIPv6Only == 1 ? 0 : EADDRINUSE))
        #expect(host.close(all) == 0)
        #expect(host.bind(one, SocketAddress(family: .ipv4, bytes: [127, 0, 0, 1], port: port)) == 0)
    }

    private let loopbackSix = [UInt8](repeating: 0, count: 15) + [1]
}
