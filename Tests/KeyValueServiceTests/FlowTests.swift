// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveSockets
import Synchronization
import Testing

@testable import KeyValueService

/// Requests of a client that does not read are not executed in advance.
@Suite struct FlowTests {
    @Test(
        "Requests of one chunk wait while the client does not read, and are answered when it does",
        arguments: LoopKind.all,
        [1, 2, 3]
    )
    func pipelines(_ loop: LoopKind, _ threads: Int) async throws {
        let site = try Site(loop, threads: threads)
        let value = Bytes(repeatElement(120, count: 8192))
        #expect(try await site.exchange(Bytes(joining: [array("SET", "k", value), "quit\r\n"])) == "+OK\r\n+OK\r\n")
        let count = 8000
        let greedy = try await site.connectOnly()
        greedy.send(Bytes(String(repeating: "get k\r\n", count: count) + "quit\r\n"))
        let other = try await site.connect()
        // Each reply needs turns of the store's loop. In these turns the greedy client's requests come first.
        for number in 0..<200 {
            other.connection.send("incr n\r\n")
            #expect(try await other.hears(Bytes(":\(number + 1)\r\n")))
        }
        // The kernel buffers a few megabytes. Half of these replies are 32 MB.
        #expect(site.service.executed.load(ordering: .relaxed) < count / 2)
        let peer = Peer(greedy)
        var replies = Replies()
        for _ in 0..<count { #expect(try await peer.reply(&replies) == .bulk(value)) }
        #expect(try await peer.reply(&replies) == .ok)
        #expect(try await peer.reply(&replies) == nil)
        try await site.stop()
    }

    @Test("Waiting requests are answered when the server closes", arguments: LoopKind.all, [1, 2])
    func closing(_ loop: LoopKind, _ threads: Int) async throws {
        let site = try Site(loop, threads: threads)
        let value = Bytes(repeatElement(120, count: 8192))
        #expect(try await site.exchange(Bytes(joining: [array("SET", "k", value), "quit\r\n"])) == "+OK\r\n+OK\r\n")
        let slow = try await site.connectOnly()
        // These requests arrive together. Their replies exceed the buffers of a client that does not read.
        let count = 1500
        slow.send(Bytes(String(repeating: "get k\r\n", count: count)))
        try await eventually("eight executed requests") { site.service.executed.load(ordering: .relaxed) >= 8 }
        #expect(try await site.exchange("shutdown\r\n") == "")
        let peer = Peer(slow)
        var replies = Replies()
        for _ in 0..<count { #expect(try await peer.reply(&replies) == .bulk(value)) }
        #expect(try await peer.reply(&replies) == nil)
        try await site.stop()
    }

    @Test(
        "Requests beyond the rate of an address are refused, on all its connections",
        arguments: LoopKind.all,
        [1, 2]
    )
    func rates(_ loop: LoopKind, _ threads: Int) async throws {
        let site = try Site(loop, threads: threads, Settings(requestRate: TokenRate(1, per: .seconds(3600), burst: 3)))
        let (first, second) = (try await site.connect(), try await site.connect())
        first.connection.send("incr n\r\nincr n\r\n")
        #expect(try await first.hears(":1\r\n:2\r\n"))
        second.connection.send("incr n\r\nincr n\r\nping\r\n")
        let busy = "-BUSY this address sends too many requests, try again later\r\n"
        #expect(try await second.hears(Bytes(":3\r\n\(busy)+PONG\r\n")))
        try await site.stop()
    }

    @Test("A reply over the limit ends its connection, and no other", arguments: LoopKind.all, [1, 2])
    func longReplies(_ loop: LoopKind, _ threads: Int) async throws {
        let site = try Site(loop, threads: threads, Settings(replyBytes: 100_000))
        let other = try await site.connect()
        let value = Bytes(repeatElement(120, count: 9000))
        other.connection.send(array("SET", "k", value))
        #expect(try await other.hears("+OK\r\n"))
        let greedy = try await site.connect()
        greedy.connection.send(array(["MGET"] + Array(repeating: "k", count: 12)))
        await #expect(throws: SocketError.self) { _ = try await greedy.rest() }
        other.connection.send(array(["MGET"] + Array(repeating: "k", count: 11)))
        var replies = Replies()
        #expect(try await other.reply(&replies) == .array(Array(repeating: .bulk(value), count: 11)))
        try await site.stop()
    }

    @Test("Beyond the limit of bytes, the oldest messages are dropped", arguments: LoopKind.all)
    func messages(_ loop: LoopKind) async throws {
        let site = try Site(loop, Settings(waitingBytes: 300_000))
        let slow = try await site.connectOnly()
        slow.send("subscribe news\r\n")
        let publisher = try await site.connect()
        try await eventually("subscription") { site.service.channels.counts.channels > 0 }
        let large = Bytes(repeatElement(120, count: 100_000))
        var replies = Replies()
        for number in 0..<400 {
            publisher.connection.send(array("PUBLISH", "news", Bytes(joining: [Bytes("\(number) "), large])))
            #expect(try await publisher.reply(&replies) == .integer(1))
        }
        let peer = Peer(slow)
        var seen: [Int] = []
        replies = Replies()
        _ = try await peer.reply(&replies)
        while seen.last != 399 {
            guard case .array(let parts)? = try await peer.reply(&replies), case .bulk(let message) = parts[2] else {
                break
            }
            seen.append(Int(String(message.prefix { $0 != ASCII.space })) ?? -1)
        }
        // 40 MB were published. The kernel buffered the first messages, and the server retained the last three.
        #expect(seen == seen.sorted() && seen.count < 300 && seen.suffix(2) == [398, 399])
        try await site.stop()
    }
}
