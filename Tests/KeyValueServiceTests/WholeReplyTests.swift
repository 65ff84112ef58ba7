// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveSockets
import Testing

@testable import KeyValueService

/// Replies and messages of one client never interleave.
@Suite struct WholeReplyTests {
    private static let messages = 400
    private static let pings = 150

    /// Payloads that name their sender and are long enough to be sent without a copy. They are created once, because
    /// debug builds are slow.
    private static let payloads = [
        "ping": all("ping", pings), "left": all("left", messages), "right": all("right", messages),
    ]

    private static func all(_ name: String, _ count: Int) -> [Bytes] {
        (0..<count).map { number in
            let letters = [UInt8](repeating: UInt8(97 + number % 26), count: 9_000 + number * 131 % 30_000)
            return Bytes(joining: [Bytes("\(name) \(number) "), Bytes(letters)])
        }
    }

    private static func payload(_ name: String, _ number: Int) -> Bytes {
        let all = payloads[name] ?? []
        return number < all.count ? all[number] : Bytes()
    }

    @Test(
        "Long replies and long messages do not interleave, on the store's loop and on others",
        arguments: LoopKind.all,
        [1, 2, 3]
    )
    func subscribers(_ loop: LoopKind, _ threads: Int) async throws {
        let settings = Settings(waitingMessages: 10_000, waitingBytes: .max)
        let site = try Site(loop, threads: threads, settings)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for connection in try await subscribed(site, 4) { group.addTask { try await Self.check(connection) } }
            for name in ["left", "right"] { group.addTask { try await Self.publish(name, site) } }
            try await group.waitForAll()
        }
        try await site.stop()
    }

    private func subscribed(_ site: Site, _ count: Int) async throws -> [Connection] {
        var connections: [Connection] = []
        for _ in 0..<count {
            let connection = try await site.connectOnly()
            connection.send("subscribe news\r\n")
            connections.append(connection)
        }
        try await eventually("\(count) subscriptions") {
            site.service.clients.list.count(where: \.isSubscribed) == count
        }
        return connections
    }

    private static func publish(_ name: String, _ site: Site) async throws {
        let peer = try await site.connect()
        var replies = Replies()
        for number in 0..<messages {
            peer.connection.send(array("PUBLISH", "news", payload(name, number)))
            // At most sixteen requests are unanswered. All replies are read, because a close with an unread reply would
            // cause a reset.
            if number >= 16 { #expect(try await peer.reply(&replies) == .integer(4)) }
        }
        for _ in 0..<16 { #expect(try await peer.reply(&replies) == .integer(4)) }
    }

    /// Sends pings with long payloads and reads all pongs and messages.
    private static func check(_ connection: Connection) async throws {
        for number in 0..<pings { connection.send(array("PING", payload("ping", number))) }
        let peer = Peer(connection)
        var replies = Replies()
        #expect(try await peer.reply(&replies) == .array([.bulk("subscribe"), .bulk("news"), .integer(1)]))
        var (pongs, next) = (0, ["left": 0, "right": 0])
        while pongs < pings || next != ["left": messages, "right": messages] {
            let reply = try await peer.reply(&replies)
            if reply == .array([.bulk("pong"), .bulk(payload("ping", pongs))]) {
                pongs += 1
                continue
            }
            let name = next.keys.first { name in
                reply == .array([.bulk("message"), .bulk("news"), .bulk(payload(name, next[name] ?? 0))])
            }
            guard let name else { throw Replies.Broken(description: "\(pongs) pongs, \(next), then something else") }
            next[name, default: 0] += 1
        }
    }
}
