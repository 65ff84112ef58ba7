// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets
import Testing

@testable import ReactiveSimulation

@Suite struct KernelUDPTests {
    /// A bound socket of the server, and one of the client that is connected to it.
    private func pair(_ lab: KernelLab) -> (server: Int32, client: Int32) {
        let server = lab.server.open(.datagram, .ipv4)
        #expect(lab.server.bind(server, lab.server.address(port: 53)) == 0)
        let client = lab.client.open(.datagram, .ipv4)
        #expect(lab.client.connect(client, lab.server.address(port: 53)) == 0)
        return (server, client)
    }

    @Test("A datagram arrives whole, with its sender, and is answered")
    func answer() {
        let lab = KernelLab()
        let (server, client) = pair(lab)
        #expect(lab.server.readiness(server) == .write)
        #expect(lab.client.send(client, "question") == 8)
        #expect(lab.server.receiveText(server).text == failed(EAGAIN))
        lab.settle()
        #expect(lab.server.readiness(server) == [.read, .write])
        #expect(lab.server.readableCount(server) == 8)
        let (text, _, peer) = lab.server.receiveText(server)
        #expect(text == "question" && peer == lab.client.localAddress(client))
        #expect(lab.server.sendText(server, "answer", to: peer) == 6)
        lab.settle()
        #expect(lab.client.receiveText(client).text == "answer")
    }

    @Test("A longer datagram is truncated, and its full length is returned")
    func truncation() {
        let lab = KernelLab()
        let (server, client) = pair(lab)
        #expect(lab.client.send(client, "0123456789") == 10)
        #expect(lab.client.send(client, "") == 0)
        lab.settle()
        let first = lab.server.receiveText(server, limit: 4)
        #expect(first.text == "0123" && first.count == 10)
        #expect(lab.server.receiveText(server).count == 0)
    }

    @Test("Held datagrams arrive before one that is due at the instant of the release")
    func releaseOrder() {
        let lab = KernelLab()
        let (server, client) = pair(lab)
        let (network, source, target) = (lab.network, lab.client, lab.server)
        network.conditions.latency = .milliseconds(5) ... .milliseconds(5)
        network.setHeld(true, from: source, to: target)
        for text in ["first", "second"] { #expect(lab.client.send(client, text) == text.utf8.count) }
        lab.advance(.milliseconds(20))
        // Scheduled before the datagram is sent, so that the release happens first.
        network.schedule(at: network.now + .milliseconds(5)) { network.setHeld(false, from: source, to: target) }
        #expect(lab.client.send(client, "third") == 5)
        lab.advance(.milliseconds(5))
        for text in ["first", "second", "third"] { #expect(lab.server.receiveText(server).text == text) }
    }

    @Test("A connected socket receives from its peer only, and learns that nobody receives there")
    func connected() {
        let lab = KernelLab()
        let (server, client) = pair(lab)
        let other = lab.server.open(.datagram, .ipv4)
        #expect(lab.server.sendText(other, "stranger", to: lab.client.localAddress(client)) == 8)
        lab.settle()
        #expect(lab.client.receiveText(client).text == failed(EAGAIN))
        #expect(lab.server.close(server) == 0)
        #expect(lab.client.send(client, "lost") == 4)
        lab.settle()
        #expect(lab.client.readiness(client).contains(.read))
        #expect(lab.client.receiveText(client).text == failed(ECONNREFUSED))
        #expect(lab.client.receiveText(client).text == failed(EAGAIN))
    }

    @Test("Sizes, broadcasts and ports are checked as on Linux")
    func checks() {
        let lab = KernelLab()
        let (server, client) = pair(lab)
        #expect(lab.client.send(client, count: 65_507) == 65_507)
        #expect(lab.client.send(client, count: 65_508) == -Int(EMSGSIZE))
        #expect(lab.server.sendText(server, "x", to: nil) == -Int(EDESTADDRREQ))
        #expect(lab.server.sendText(server, "x", to: lab.client.address(port: 0)) == -Int(EINVAL))
        #expect(lab.server.sendText(server, "x", to: lab.client.ipv6Address(port: 9)) == -Int(EAFNOSUPPORT))
        let second = lab.server.open(.datagram, .ipv4)
        #expect(lab.server.bind(second, lab.server.address(port: 53)) == EADDRINUSE)
        #expect(lab.server.close(server) == 0)
        #expect(lab.server.bind(second, lab.server.address(port: 53)) == 0)
        #expect(lab.server.receiveCount(second) == -Int(EOPNOTSUPP))
        #expect(lab.server.listen(second, backlog: 1) == EOPNOTSUPP)
    }

    @Test(
        "A full receive buffer drops datagrams, and counts the memory of each as Linux does",
        arguments: [
            (1, 256), (300, 166), (1_000, 92), (2_000, 48), (4_000, 25), (8_000, 12), (20_000, 10), (60_000, 3),
        ]
    )
    func overflow(size: Int, expected: Int) {
        let lab = KernelLab()
        let (server, client) = pair(lab)
        for _ in 0..<400 { #expect(lab.client.send(client, count: size) == size) }
        lab.settle()
        var count = 0
        while lab.server.receiveText(server).count == size { count += 1 }
        #expect(count == expected)
        #expect(lab.client.send(client, count: size) == size)
        lab.settle()
        #expect(lab.server.readableCount(server) == size)
    }

    @Test("The smallest receive buffer accepts a large datagram if it is empty")
    func smallestBuffer() {
        let lab = KernelLab()
        let (server, client) = pair(lab)
        #expect(lab.server.setOption(server, level: SOL_SOCKET, name: SO_RCVBUF, value: 0) == 0)
        for _ in 0..<2 { #expect(lab.client.send(client, count: 60_000) == 60_000) }
        lab.settle()
        #expect(lab.server.receiveText(server).count == 60_000)
        #expect(lab.server.receiveText(server).count == -Int(EAGAIN))
    }

    @Test("A limited bandwidth delays datagrams one after the other")
    func bandwidth() {
        let lab = KernelLab()
        let (server, client) = pair(lab)
        let conditions = LinkConditions(latency: .zero ... .zero, bandwidth: 10_000)
        lab.network.setConditions(conditions, from: lab.client, to: lab.server)
        for _ in 0..<10 { #expect(lab.client.send(client, count: 1_000) == 1_000) }
        // Each takes a tenth of a second.
        for step in 1...10 {
            lab.advance(.milliseconds(99))
            #expect(lab.server.readableCount(server) == 0, "\(step)")
            lab.advance(.milliseconds(1))
            #expect(lab.server.receiveText(server).count == 1_000, "\(step)")
        }
    }

    @Test("Loss, duplication and reordering happen as the conditions say")
    func conditions() {
        let lab = KernelLab()
        let (server, client) = pair(lab)
        lab.network.setConditions(
            LinkConditions(loss: 0.2, duplication: 0.1, reordering: 0.2),
            from: lab.client,
            to: lab.server
        )
        var received: [Int] = []
        for number in 0..<1_000 {
            #expect(lab.client.send(client, "\(number)") > 0)
            lab.advance(.microseconds(100))
            while let value = Int(lab.server.receiveText(server).text) { received.append(value) }
        }
        lab.settle()
        while let value = Int(lab.server.receiveText(server).text) { received.append(value) }
        let distinct = Set(received).count
        #expect((720...900).contains(distinct), "\(distinct)")
        #expect(received.count > distinct && received != received.sorted())
    }
}

extension HostKernel {
    func sendText(_ descriptor: Int32, _ text: String, to peer: SocketAddress?) -> Int {
        Array(text.utf8).withUnsafeBytes { sendDatagram(descriptor, $0, to: peer) }
    }

    func receiveText(_ descriptor: Int32, limit: Int = 65_536) -> (text: String, count: Int, peer: SocketAddress?) {
        var memory = [UInt8](repeating: 0, count: limit)
        let (count, peer) = memory.withUnsafeMutableBytes { receiveDatagram(descriptor, $0) }
        if count < 0 { return ("[\(-count)]", count, nil) }
        return (String(decoding: memory[..<min(count, limit)], as: UTF8.self), count, peer)
    }
}
