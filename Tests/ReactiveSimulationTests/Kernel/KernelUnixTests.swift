// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets
import Testing

@testable import ReactiveSimulation

/// The results are those of Linux 6.18 for the same calls.
@Suite struct KernelUnixTests {
    private let path = try! SocketAddress.unix(path: "/run/service")
    private let abstract = try! SocketAddress.abstract("service")

    private func listen(_ host: HostKernel, _ address: SocketAddress, backlog: Int32 = 4) -> Int32 {
        let listener = host.open(.stream, .unix)
        #expect(host.bind(listener, address) == 0)
        #expect(host.listen(listener, backlog: backlog) == 0)
        return listener
    }

    private func connection(_ host: HostKernel) -> (client: Int32, server: Int32) {
        let listener = listen(host, abstract)
        let client = host.open(.stream, .unix)
        #expect(host.connect(client, abstract) == 0)
        let server = host.accept(listener).result
        #expect(host.close(listener) == 0)
        return (client, server)
    }

    @Test("A stream carries bytes in both directions, and ends")
    func stream() {
        let host = KernelLab().server
        let (client, server) = connection(host)
        #expect(host.localAddress(server) == abstract && host.remoteAddress(client) == abstract)
        #expect(host.remoteAddress(server)?.bytes == [])
        #expect(host.send(client, "hello") == 5)
        #expect(host.receive(server, limit: 2) == "he" && host.receive(server) == "llo")
        #expect(host.receive(server) == failed(EAGAIN))
        #expect(host.shutdownWriting(client) == 0)
        #expect(host.receive(server) == "" && host.readiness(server) == [.read, .write])
        #expect(host.send(server, "bye") == 3)
        #expect(host.receive(client) == "bye")
        #expect(host.send(client, "x") == -Int(EPIPE))
    }

    @Test("A full buffer accepts nothing, until the peer has read three quarters")
    func backPressure() {
        let host = KernelLab().server
        let (client, server) = connection(host)
        // Six messages, of which the last one exceeds the buffer.
        #expect(host.send(client, count: 1_000_000) == 6 * 36_544)
        #expect(host.send(client, "x") == -Int(EAGAIN))
        #expect(!host.readiness(client).contains(.write))
        #expect(host.receiveCount(server, limit: 100_000) == 100_000)
        #expect(!host.readiness(client).contains(.write))
        #expect(host.receiveCount(server, limit: 100_000) == 100_000)
        #expect(host.readiness(client).contains(.write))
    }

    @Test("The backlog admits one connection more than its number")
    func backlog() {
        let host = KernelLab().server
        let listener = listen(host, path, backlog: 1)
        let clients = (0..<3).map { _ in host.open(.stream, .unix) }
        #expect(clients.map { host.connect($0, path) } == [0, 0, EAGAIN])
        #expect(host.readiness(listener) == .read)
        #expect(host.accept(listener).result > 0)
        #expect(host.connect(clients[2], path) == 0)
        #expect(host.close(listener) == 0)
        // Those that no call has accepted are reset: an error once, then the end of the stream.
        #expect(host.receive(clients[1]) == failed(ECONNRESET) && host.receive(clients[1]) == "")
        #expect(host.connect(host.open(.stream, .unix), path) == ECONNREFUSED)
    }

    @Test("A close with unread bytes resets the peer, and one without ends its stream")
    func close() {
        let host = KernelLab().server
        let (first, second) = connection(host)
        #expect(host.send(first, "unread") == 6)
        #expect(host.send(second, "last") == 4)
        #expect(host.close(second) == 0)
        #expect(host.receive(first) == "last")
        #expect(host.receive(first) == failed(ECONNRESET) && host.receive(first) == "")
        let (third, fourth) = connection(host)
        #expect(host.close(fourth) == 0)
        #expect(host.receive(third) == "" && host.send(third, "x") == -Int(EPIPE))
    }

    @Test("Calls on a fresh socket fail as on Linux")
    func fresh() {
        let host = KernelLab().server
        let socket = host.open(.stream, .unix)
        #expect(host.receive(socket) == failed(EINVAL) && host.send(socket, "x") == -Int(ENOTCONN))
        #expect(host.shutdownWriting(socket) == 0 && host.listen(socket, backlog: 1) == EINVAL)
        #expect(host.remoteAddress(socket) == nil && host.readiness(socket) == [.read, .write])
        #expect(host.setOption(socket, level: SOL_SOCKET, name: SO_REUSEPORT, value: 1) == EOPNOTSUPP)
        #expect(host.connect(socket, path) == ENOENT && host.connect(socket, abstract) == ECONNREFUSED)
    }

    @Test("A file stays after a close and a crash, until it is removed")
    func files() {
        let lab = KernelLab()
        let host = lab.server
        let listener = listen(host, path)
        let number = host.file(at: "/run/service")
        #expect(number != nil && lab.client.file(at: "/run/service") == nil)
        #expect(host.bind(host.open(.stream, .unix), path) == EADDRINUSE)
        #expect(host.connect(host.open(.datagram, .unix), path) == EPROTOTYPE)
        #expect(host.close(listener) == 0)
        #expect(host.connect(host.open(.stream, .unix), path) == ECONNREFUSED)
        host.crash()
        host.restart()
        #expect(host.file(at: "/run/service") == number)
        host.removeFile(at: "/run/service")
        #expect(host.file(at: "/run/service") == nil)
        _ = listen(host, path)
        #expect(host.file(at: "/run/service") != number)
    }

    @Test("Eleven datagrams wait, and a receive makes room for a sender")
    func datagrams() {
        let host = KernelLab().server
        let (receiver, sender) = (host.open(.datagram, .unix), host.open(.datagram, .unix))
        #expect(host.bind(receiver, path) == 0 && host.connect(sender, path) == 0)
        for number in 0..<11 { #expect(host.sendText(sender, "\(number)", to: nil) > 0) }
        #expect(host.sendText(sender, "x", to: nil) == -Int(EAGAIN))
        #expect(!host.readiness(sender).contains(.write))
        #expect(host.receiveText(receiver).text == "0")
        #expect(host.readiness(sender).contains(.write))
        #expect(host.sendText(sender, "x", to: nil) == 1)
        #expect(host.sendText(sender, "x", to: abstract) == -Int(ECONNREFUSED))
        #expect(host.close(receiver) == 0)
        #expect(host.sendText(sender, "x", to: nil) == -Int(ECONNREFUSED))
        #expect(host.sendText(sender, "x", to: nil) == -Int(ENOTCONN))
    }

    @Test(
        "The send buffer counts the memory of each datagram",
        arguments: [
            (0, 278), (1, 278), (1_000, 93), (20_000, 11), (60_000, 4), (100_000, 3), (200_000, 2), (212_961, 0),
        ]
    )
    func datagramMemory(size: Int, expected: Int) throws {
        let host = KernelLab().server
        // The limit of eleven datagrams does not apply to two sockets that are connected to each other.
        let sockets = [path, abstract].map { name in
            let socket = host.open(.datagram, .unix)
            #expect(host.bind(socket, name) == 0)
            return socket
        }
        #expect(host.connect(sockets[0], abstract) == 0 && host.connect(sockets[1], path) == 0)
        var count = 0
        while host.send(sockets[0], count: size) == size { count += 1 }
        #expect(count == expected)
        #expect(host.send(sockets[0], count: size) == -Int(expected == 0 ? EMSGSIZE : EAGAIN))
        #expect(host.readiness(sockets[0]).contains(.write) == (expected == 0))
        // A socket that sends to itself has no such limit either.
        count = 0
        let (own, ownName) = (host.open(.datagram, .unix), try SocketAddress.abstract("own"))
        #expect(host.bind(own, ownName) == 0)
        let bytes = [UInt8](repeating: 7, count: size)
        while bytes.withUnsafeBytes({ host.sendDatagram(own, $0, to: ownName) }) == size { count += 1 }
        #expect(count == expected)
    }

    @Test(
        "The send buffer counts the memory of each write to a stream",
        arguments: [(1, 278), (100, 278), (1_000, 93), (5_000, 34)]
    )
    func streamMemory(size: Int, expected: Int) {
        let host = KernelLab().server
        let (client, server) = connection(host)
        var count = 0
        while host.send(client, count: size) == size { count += 1 }
        #expect(count == expected && host.send(client, "x") == -Int(EAGAIN))
        #expect(host.receiveCount(server) == expected * size)
        #expect(host.send(client, "x") == 1)
    }

    @Test("An accepted socket inherits no option")
    func acceptedOptions() {
        let host = KernelLab().server
        let listener = listen(host, abstract)
        #expect(host.setOption(listener, level: SOL_SOCKET, name: SO_SNDBUF, value: 10_000) == 0)
        #expect(host.setOption(listener, level: SOL_SOCKET, name: SO_KEEPALIVE, value: 1) == 0)
        #expect(host.connect(host.open(.stream, .unix), abstract) == 0)
        let accepted = host.accept(listener).result
        #expect(host.option(accepted, level: SOL_SOCKET, name: SO_SNDBUF).value == 212_992)
        #expect(host.option(accepted, level: SOL_SOCKET, name: SO_KEEPALIVE).value == 0)
    }

    /// Three datagram sockets with abstract names.
    private func named(on host: HostKernel) throws -> (names: [SocketAddress], sockets: [Int32]) {
        let names = try ["a", "b", "c"].map { try SocketAddress.abstract($0) }
        let sockets = names.map { name in
            let socket = host.open(.datagram, .unix)
            #expect(host.bind(socket, name) == 0)
            return socket
        }
        return (names, sockets)
    }

    @Test("A reconnect discards the queue, and the earlier peer learns it")
    func reconnect() throws {
        let host = KernelLab().server
        let (names, sockets) = try named(on: host)
        #expect(host.connect(sockets[0], names[1]) == 0 && host.connect(sockets[1], names[0]) == 0)
        #expect(host.send(sockets[1], "lost") == 4)
        #expect(host.connect(sockets[0], names[2]) == 0)
        #expect(host.receiveText(sockets[0]).text == failed(EAGAIN))
        #expect(host.error(sockets[1]) == ECONNRESET)
        #expect(host.unsentCount(sockets[1]) == 0)
    }

    @Test("A loop learns that a full receiver has room, although its socket has not sent")
    func roomWithoutSending() {
        let host = KernelLab().server
        let (receiver, sender, other) = (
            host.open(.datagram, .unix), host.open(.datagram, .unix), host.open(.datagram, .unix)
        )
        #expect(host.bind(receiver, path) == 0)
        #expect(host.connect(sender, path) == 0 && host.connect(other, path) == 0)
        for _ in 0..<11 { #expect(host.send(sender, "x") == 1) }
        let set = host.makePollSet {}
        #expect(set.register(other, .write, token: 1) == 0 && !set.isReady)
        #expect(host.receiveText(receiver).text == "x")
        #expect(set.isReady)
    }

    @Test("A socket that is connected elsewhere refuses a third one")
    func connectedElsewhere() throws {
        let host = KernelLab().server
        let (names, sockets) = try named(on: host)
        #expect(host.connect(sockets[0], names[1]) == 0)
        #expect(host.sendText(sockets[2], "x", to: names[0]) == -Int(EPERM))
        #expect(host.connect(sockets[2], names[0]) == EPERM)
        #expect(host.sendText(sockets[1], "y", to: names[0]) == 1)
        let (text, _, peer) = host.receiveText(sockets[0])
        #expect(text == "y" && peer == names[1])
    }
}
