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

    @Test("A full receive buffer drops datagrams")
    func overflow() {
        let lab = KernelLab()
        let (server, client) = pair(lab)
        for _ in 0..<1_000 { #expect(lab.client.send(client, count: 1_000) == 1_000) }
        lab.settle()
        var count = 0
        while lab.server.receiveText(server).count == 1_000 { count += 1 }
        #expect(count == 92, "\(count)")
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
