// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveSockets
import Testing

@testable import KeyValueService

@Suite struct PublishingTests {
    @Test(
        "Messages reach all subscribers in order, once for each subscription",
        arguments: LoopKind.all,
        [1, 3]
    )
    func publishing(_ loop: LoopKind, _ threads: Int) async throws {
        let site = try Site(loop, threads: threads)
        var peers: [Peer] = []
        for _ in 0..<6 {
            let peer = try await site.connect()
            peer.connection.send("subscribe news\r\npsubscribe n*s\r\n")
            #expect(
                try await peer.hears(
                    "*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n*3\r\n$10\r\npsubscribe\r\n$3\r\nn*s\r\n:2\r\n"
                )
            )
            peers.append(peer)
        }
        let requests = (0..<500).map { array("PUBLISH", "news", Bytes("\($0)")) }
        let counts = try await site.exchange(Bytes(joining: requests + ["quit\r\n"]))
        #expect(counts == Bytes(joining: Array(repeating: ":12\r\n", count: 500) + ["+OK\r\n"]))
        for peer in peers {
            for number in 0..<500 {
                let word = Bytes("\(number)")
                #expect(try await peer.hears(array("message", "news", word)))
                #expect(try await peer.hears(array("pmessage", "n*s", "news", word)))
            }
        }
        try await site.stop()
    }

    @Test(
        "With disconnect, a subscriber that does not read is reset",
        arguments: LoopKind.all
    )
    func disconnecting(_ loop: LoopKind) async throws {
        let site = try Site(loop, Settings(waitingMessages: 4, slowSubscribers: .disconnect))
        let slow = try await site.connect()
        slow.connection.send("subscribe news\r\n")
        #expect(try await slow.hears("*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n"))
        let fast = try await site.connect()
        fast.connection.send("subscribe news\r\n")
        #expect(try await fast.hears("*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n"))
        let publisher = try await site.connect()
        let large = Bytes(repeatElement(120, count: 500_000))
        // For a peer that does not read, the kernel buffers some megabytes, and the client's signal buffers a few
        // chunks.
        for _ in 0..<40 {
            publisher.connection.send(array("PUBLISH", "news", large))
            _ = try await publisher.hears(":2\r\n")
            #expect(try await fast.hears(array("message", "news", large)))
        }
        publisher.connection.send("publish news x\r\n")
        #expect(try await publisher.hears(":1\r\n"))
        await #expect(throws: SocketError.self) { _ = try await slow.rest() }
        try await site.stop()
    }

    @Test(
        "In a pipeline, a monitor receives each reply before the line of its request",
        arguments: LoopKind.all,
        [1, 2]
    )
    func monitoringItself(_ loop: LoopKind, _ threads: Int) async throws {
        let site = try Site(loop, threads: threads)
        let heard = String(try await site.exchange("monitor\r\nping\r\necho x\r\nquit\r\n"))
        let lines = heard.split(separator: "\r\n").map { $0.contains(" [0 ") ? $0.split(separator: "] ")[1] : $0 }
        #expect(lines == ["+OK", "+PONG", "\"ping\"", "$1", "x", "\"echo\" \"x\"", "+OK"])
        try await site.stop()
    }

    @Test(
        "A monitor receives the requests of other clients, and may not use keys",
        arguments: LoopKind.all
    )
    func monitoring(_ loop: LoopKind) async throws {
        let site = try Site(loop)
        let monitor = try await site.connect()
        monitor.connection.send("monitor\r\n")
        #expect(try await monitor.hears("+OK\r\n"))
        #expect(
            try await site.exchange(Bytes(joining: [array("SET", "a\"", "\u{1}\n"), "quit\r\n"])) == "+OK\r\n+OK\r\n"
        )
        monitor.connection.send("get a\r\nquit\r\n")
        let seen = String(try await monitor.rest()).split(separator: "\r\n")
        #expect(seen.first?.first == "+" && seen.first?.hasSuffix("] \"SET\" \"a\\\"\" \"\\x01\\n\"") == true)
        #expect(seen.contains("-ERR Replica can't interact with the keyspace"))
        try await site.stop()
    }
}
