// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets
import Testing

@testable import ReactiveSimulation

@Suite struct KernelTCPTests {
    @Test("A handshake takes a round trip, and bytes arrive in order")
    func exchange() {
        let lab = KernelLab()
        let listener = lab.listen()
        #expect(lab.server.accept(listener).result == -EAGAIN)
        let socket = lab.connect()
        #expect(lab.client.readiness(socket) == [])
        #expect(lab.client.connect(socket, lab.server.address(port: 80)) == EALREADY)
        lab.settle()
        #expect(lab.client.readiness(socket) == .write)
        #expect(lab.client.error(socket) == 0)
        #expect(lab.server.readiness(listener) == .read)
        let (accepted, peer) = lab.server.accept(listener)
        #expect(peer == lab.client.localAddress(socket))
        #expect(lab.server.remoteAddress(accepted) == peer)
        #expect(lab.client.remoteAddress(socket) == lab.server.address(port: 80))
        #expect(lab.client.send(socket, "one") == 3)
        #expect(lab.client.send(socket, "two") == 3)
        #expect(lab.server.receive(accepted) == failed(EAGAIN))
        #expect(lab.client.unsentCount(socket) == 6)
        lab.settle()
        #expect(lab.client.unsentCount(socket) == 0)
        #expect(lab.server.readableCount(accepted) == 6)
        #expect(lab.server.receive(accepted, peeks: true) == "onetwo")
        #expect(lab.server.receive(accepted, limit: 4) == "onet")
        #expect(lab.server.receive(accepted) == "wo")
        #expect(lab.server.receive(accepted) == failed(EAGAIN))
        #expect(lab.client.connect(socket, lab.server.address(port: 80)) == 0)
        #expect(lab.client.connect(socket, lab.server.address(port: 80)) == EISCONN)
    }

    @Test("Each direction ends on its own")
    func halfClose() {
        let lab = KernelLab()
        let (client, server) = lab.connection()
        #expect(lab.client.send(client, "last") == 4)
        #expect(lab.client.shutdownWriting(client) == 0)
        #expect(lab.client.send(client, "more") == -Int(EPIPE))
        lab.settle()
        #expect(lab.server.receive(server) == "last")
        #expect(lab.server.receive(server) == "")
        #expect(lab.server.receive(server) == "")
        #expect(lab.server.send(server, "reply") == 5)
        lab.settle()
        #expect(lab.client.receive(client) == "reply")
        #expect(lab.client.receive(client) == failed(EAGAIN))
        #expect(lab.server.close(server) == 0)
        lab.settle()
        #expect(lab.client.receive(client) == "")
        #expect(lab.client.close(client) == 0)
        #expect(lab.network.nextEvent == nil)
    }

    @Test("A full pipe stops the sender, and a reader starts it again")
    func backPressure() {
        let lab = KernelLab()
        let (client, server) = lab.connection()
        var sent = 0
        while true {
            let count = lab.client.send(client, count: 100_000)
            if count < 0 {
                #expect(count == -Int(EAGAIN))
                lab.settle()
                if lab.client.send(client, count: 1) < 0 { break }
                sent += 1
            } else {
                sent += count
            }
        }
        #expect(sent == 262_144 + 131_072)
        #expect(lab.client.readiness(client) == [])
        var received = 0
        while true {
            let count = lab.server.receiveCount(server)
            if count < 0 {
                lab.settle()
                if lab.server.readableCount(server) == 0 { break }
                continue
            }
            received += count
        }
        #expect(received == sent)
        #expect(lab.client.readiness(client) == .write)
    }

    @Test("A port without a listener refuses, and an unknown address is unreachable")
    func refusals() throws {
        let lab = KernelLab()
        let socket = lab.connect(port: 81)
        lab.settle()
        #expect(lab.client.readiness(socket) == [.read, .write])
        #expect(lab.client.error(socket) == ECONNREFUSED)
        #expect(lab.client.error(socket) == 0)
        #expect(lab.client.remoteAddress(socket) == nil)
        let other = lab.client.open(.stream, .ipv4)
        #expect(lab.client.connect(other, try SocketAddress(host: "10.9.9.9", port: 80)) == EINPROGRESS)
        lab.advance(.seconds(4))
        #expect(lab.client.error(other) == EHOSTUNREACH)
    }

    @Test("A SYN without an answer is repeated, and times out after 127 seconds")
    func blackHole() {
        let lab = KernelLab()
        _ = lab.listen()
        lab.network.setBlocked(true, from: lab.client, to: lab.server)
        let socket = lab.connect()
        lab.advance(.seconds(126))
        #expect(lab.client.readiness(socket) == [])
        lab.advance(.seconds(2))
        #expect(lab.client.error(socket) == ETIMEDOUT)
        let second = lab.connect()
        lab.advance(.seconds(2))
        lab.network.setBlocked(false, from: lab.client, to: lab.server)
        lab.advance(.seconds(2))
        #expect(lab.client.readiness(second) == .write)
    }

    @Test("A full backlog drops the SYN, and the next attempt succeeds")
    func backlog() {
        let lab = KernelLab()
        let listener = lab.listen(backlog: 1)
        let sockets = (0..<3).map { _ in lab.connect() }
        lab.settle()
        #expect(sockets.filter { lab.client.readiness($0) == .write }.count == 2)
        #expect(lab.server.accept(listener).result > 0)
        lab.advance(.seconds(2))
        #expect(sockets.filter { lab.client.readiness($0) == .write }.count == 3)
    }

    @Test("Closing with unread bytes resets the connection", arguments: [true, false])
    func resets(hasUnread: Bool) {
        let lab = KernelLab()
        let (client, server) = lab.connection()
        #expect(lab.server.send(server, "before") == 6)
        if hasUnread {
            #expect(lab.client.send(client, "unread") == 6)
        } else {
            #expect(lab.server.setZeroLinger(server) == 0)
        }
        lab.settle()
        #expect(lab.server.close(server) == 0)
        lab.settle()
        #expect(lab.client.receive(client) == "before", "bytes that have arrived remain readable")
        #expect(lab.client.receive(client) == failed(ECONNRESET))
        #expect(lab.client.receive(client) == "")
        #expect(lab.client.send(client, "x") == -Int(EPIPE))
        #expect(lab.client.remoteAddress(client) == nil)
    }

    @Test("Bytes to a closed socket are answered with a reset")
    func sendToClosed() {
        let lab = KernelLab()
        let (client, server) = lab.connection()
        #expect(lab.server.close(server) == 0)
        lab.settle()
        #expect(lab.client.send(client, "a") == 1)
        lab.settle()
        #expect(lab.client.receive(client) == "", "the end of stream arrived before the reset")
        #expect(lab.client.error(client) == EPIPE)
        #expect(lab.client.send(client, "b") == -Int(EPIPE))
    }

    @Test("TIME_WAIT needs SO_REUSEADDR, and lasts 60 seconds", arguments: [true, false])
    func timeWait(reuses: Bool) {
        let lab = KernelLab()
        let (client, server) = lab.connection(reuses ? [SO_REUSEADDR] : [])
        #expect(lab.server.close(server) == 0)
        lab.settle()
        #expect(lab.client.close(client) == 0)
        lab.settle()
        #expect(lab.network.nextEvent == nil)
        #expect(bind(lab, reuses: false) == EADDRINUSE)
        #expect(bind(lab, reuses: true) == (reuses ? 0 : EADDRINUSE))
        lab.advance(.seconds(60))
        #expect(bind(lab, reuses: false) == 0)
    }

    @Test("A closed listener resets the connections in its queue")
    func closedListener() {
        let lab = KernelLab()
        let listener = lab.listen()
        let socket = lab.connect()
        lab.settle()
        #expect(lab.server.close(listener) == 0)
        lab.settle()
        #expect(lab.client.receive(socket) == failed(ECONNRESET))
        #expect(lab.server.openDescriptors.isEmpty)
    }

    @Test("Bytes survive loss, and time passes")
    func loss() {
        let lab = KernelLab(seed: 3, partialReads: 0.5)
        let (client, server) = lab.connection()
        lab.network.conditions = LinkConditions(loss: 0.3)
        var sent = 0
        var received = 0
        for _ in 0..<200 {
            sent += max(0, lab.client.send(client, count: 5_000))
            lab.advance(.seconds(5))
            while lab.server.readableCount(server) > 0 { received += lab.server.receiveCount(server) }
        }
        lab.advance(.seconds(300))
        received += max(0, lab.server.receiveCount(server))
        #expect(sent == 1_000_000)
        #expect(received == sent)
    }

    @Test("A partition delays bytes, and ends the connection after the last retransmission")
    func partition() {
        let lab = KernelLab()
        let (client, server) = lab.connection()
        lab.network.setBlocked(true, from: lab.client, to: lab.server)
        #expect(lab.client.send(client, "late") == 4)
        lab.advance(.seconds(30))
        lab.network.setBlocked(false, from: lab.client, to: lab.server)
        lab.advance(.seconds(30))
        #expect(lab.server.receive(server) == "late")
        lab.network.setBlocked(true, from: lab.server, to: lab.client)
        #expect(lab.client.send(client, "unanswered") == 10)
        lab.advance(.seconds(900))
        #expect(lab.client.error(client) == 0)
        #expect(lab.server.receive(server) == "unanswered", "only acknowledgements are lost")
        lab.advance(.seconds(60))
        #expect(lab.client.error(client) == ETIMEDOUT)
    }

    @Test("A retransmission takes the time of its link")
    func retransmission() {
        let lab = KernelLab()
        let (client, server) = lab.connection()
        lab.network.conditions = LinkConditions(latency: .milliseconds(100) ... .milliseconds(100))
        lab.network.setBlocked(true, from: lab.client, to: lab.server)
        #expect(lab.client.send(client, "late") == 4)
        lab.network.setBlocked(false, from: lab.client, to: lab.server)
        lab.advance(.milliseconds(299))
        #expect(lab.server.readableCount(server) == 0)
        lab.advance(.milliseconds(2))
        #expect(lab.server.receive(server) == "late")
    }

    @Test("TCP_USER_TIMEOUT limits the time without an acknowledgement")
    func userTimeout() {
        let lab = KernelLab()
        let (client, _) = lab.connection()
        let option = (level: Int32(IPPROTO_TCP), name: TCP_USER_TIMEOUT)
        #expect(lab.client.setOption(client, level: option.level, name: option.name, value: 10_000) == 0)
        lab.network.setBlocked(true, from: lab.client, to: lab.server)
        #expect(lab.client.send(client, "lost") == 4)
        lab.advance(.milliseconds(9_999))
        #expect(lab.client.error(client) == 0)
        lab.advance(.milliseconds(2))
        #expect(lab.client.error(client) == ETIMEDOUT)
    }

    @Test("Late packets of a connection do not affect the next one of its socket", arguments: [true, false])
    func latePackets(areSegments: Bool) {
        let lab = KernelLab()
        let (client, server) = lab.connection()
        let (source, target) = areSegments ? (lab.client, lab.server) : (lab.server, lab.client)
        let slow = LinkConditions(latency: .seconds(1) ... .seconds(1))
        lab.network.setConditions(slow, from: source, to: target)
        #expect(lab.client.send(client, count: 200_000) == 200_000)
        lab.settle()
        lab.network.setConditions(nil, from: source, to: target)
        #expect(lab.server.setZeroLinger(server) == 0)
        #expect(lab.server.close(server) == 0)
        lab.settle()
        _ = lab.listen()
        #expect(lab.client.connect(client, lab.server.address(port: 80)) == ECONNRESET)
        #expect(lab.client.connect(client, lab.server.address(port: 80)) == EINPROGRESS)
        lab.settle()
        lab.network.record(.whole, faultsEnd: nil)
        lab.advance(.seconds(2))
        #expect(lab.network.recordedEvents.flatMap(\.events) == [])
        #expect(lab.client.error(client) == 0)
        #expect(lab.client.remoteAddress(client) == lab.server.address(port: 80))
    }

    private func bind(_ lab: KernelLab, reuses: Bool) -> Int32 {
        let socket = lab.server.open(.stream, .ipv4)
        defer { _ = lab.server.close(socket) }
        #expect(lab.server.setOption(socket, level: SOL_SOCKET, name: SO_REUSEADDR, value: reuses ? 1 : 0) == 0)
        return lab.server.bind(socket, lab.server.address(port: 80))
    }
}
