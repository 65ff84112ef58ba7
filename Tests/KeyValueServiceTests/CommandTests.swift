// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveSignals
import ReactiveSockets
import Testing

@testable import KeyValueService

/// Pipelines of requests, and all of their replies, on every loop. If there are two loops, half of the connections hop.
@Suite struct CommandTests {
    /// Requests and the expected replies, one line each. A semicolon represents a line end.
    static let dialogues: [String: [(String, String)]] = [
        "strings": [
            ("ping", "+PONG"), ("PING hello", "$5;hello"),
            ("ping a b", "-ERR wrong number of arguments for 'ping' command"),
            ("echo x", "$1;x"), ("get a", "$-1"), ("set a 1", "+OK"), ("get a", "$1;1"), ("set a 2 nx", "$-1"),
            ("set a 2 xx", "+OK"), ("set b 2 xx", "$-1"), ("set a 3 get", "$1;2"), ("set a 3 nx get", "$1;3"),
            ("set a 1 nx xx", "-ERR syntax error"), ("set a 1 what", "-ERR syntax error"),
            ("set a 1 ex", "-ERR syntax error"),
            ("set a 1 ex 0", "-ERR invalid expire time in 'set' command"),
            ("set a 1 ex -5", "-ERR invalid expire time in 'set' command"),
            ("set a 1 ex 9223372036854775807", "-ERR invalid expire time in 'set' command"),
            ("set a 1 px 9223372036854775807", "-ERR invalid expire time in 'set' command"),
            ("set a 1 ex x", "-ERR value is not an integer or out of range"),
            ("set a 1 ex 1 px 1", "-ERR syntax error"),
            ("set a 1 ex 1 keepttl", "-ERR syntax error"), ("mset x 1 y 2", "+OK"),
            ("mget x nothing y", "*3;$1;1;$-1;$1;2"),
            ("mset x 1 y", "-ERR wrong number of arguments for 'mset' command"),
            ("get", "-ERR wrong number of arguments for 'get' command"),
            ("nothing a b", "-ERR unknown command 'nothing', with args beginning with: 'a' 'b' "),
            ("nothing", "-ERR unknown command 'nothing', with args beginning with: "),
            // A NUL byte is part of a command's name, but ends an option.
            ("\"\\x00get\" a", "-ERR unknown command '', with args beginning with: 'a' "),
            ("set a 1 \"\\x00nx\"", "-ERR syntax error"), ("set a 1 \"nx\\x00y\"", "$-1"),
            // All options are checked before the time.
            ("set a 1 ex x what", "-ERR syntax error"), ("set a 1 ex 5 ex 200", "+OK"), ("ttl a", ":200"),
            ("set a 1 ex 9223372036", "+OK"), ("ttl a", ":9223372036"),
            ("pexpire a 9223370000000000000", ":1"), ("ttl a", ":9223370000000000"), ("get a", "$1;1"),
            ("set a 1 pxat 1", "+OK"), ("get a", "$-1"),
            ("set a 1 exat 0", "-ERR invalid expire time in 'set' command"),
        ],
        "counters": [
            ("incr n", ":1"), ("incrby n 41", ":42"), ("decr n", ":41"), ("decrby n 50", ":-9"), ("get n", "$2;-9"),
            ("set n 9223372036854775807", "+OK"), ("incr n", "-ERR increment or decrement would overflow"),
            ("incrby n x", "-ERR value is not an integer or out of range"),
            ("decrby n -9223372036854775808", "-ERR decrement would overflow"), ("set n word", "+OK"),
            ("incr n", "-ERR value is not an integer or out of range"), ("set n 1 ex 100", "+OK"), ("incr n", ":2"),
            ("ttl n", ":100"),
        ],
        "keys": [
            ("mset one 1 two 2 three 3", "+OK"), ("exists one one four", ":2"), ("dbsize", ":3"),
            ("keys t*e*", "*1;$5;three"),
            ("del one four", ":1"), ("exists one", ":0"), ("ttl one", ":-2"), ("ttl two", ":-1"), ("pttl two", ":-1"),
            ("expire one 1", ":0"), ("expire two 100", ":1"), ("ttl two", ":100"), ("expire two 200 nx", ":0"),
            ("expire two 50 gt", ":0"), ("expire two 200 gt", ":1"), ("expire two 300 lt", ":0"), ("ttl two", ":200"),
            ("expire three 10 xx", ":0"), ("expire three 10 gt", ":0"),
            ("expire two 1 gt lt", "-ERR GT and LT options at the same time are not compatible"),
            ("expire two 1 nx lt", "-ERR NX and XX, GT or LT options at the same time are not compatible"),
            ("expire two 1 never", "-ERR Unsupported option never"),
            ("expire two x never", "-ERR Unsupported option never"),
            ("expire two 9223372036854775807", "-ERR invalid expire time in 'expire' command"), ("persist two", ":1"),
            ("persist two", ":0"), ("ttl two", ":-1"), ("pexpire two 100000", ":1"), ("set two 3 keepttl", "+OK"),
            ("ttl two", ":100"),
            ("set two 2", "+OK"), ("ttl two", ":-1"), ("expire two -1", ":1"), ("exists two", ":0"), ("flushdb", "+OK"),
            ("dbsize", ":0"), ("flushall async", "+OK"), ("flushall now", "-ERR syntax error"),
        ],
        "connection": [
            ("client getname", "$-1"), ("client setname me", "+OK"), ("client getname", "$2;me"),
            ("client setname", "-ERR wrong number of arguments for 'client|setname' command"),
            ("client \"set name\"", "-ERR unknown subcommand 'set name'. Try CLIENT HELP."),
            ("client setname 'a b'", "-ERR Client names cannot contain spaces, newlines or special characters."),
            ("client setinfo lib-name x", "+OK"), ("hello 3", "-NOPROTO unsupported protocol version"),
            ("hello x", "-ERR Protocol version is not an integer or out of range"), ("select 0", "+OK"),
            ("hello 2 auth somebody x", "-WRONGPASS invalid username-password pair or user is disabled."),
            ("hello 2 auth default", "-ERR Syntax error in HELLO option 'auth'"),
            ("select 2147483648", "-ERR value is out of range, value must between -2147483648 and 2147483647"),
            ("select 1", "-ERR DB index is out of range"), ("reset", "+RESET"), ("client getname", "$-1"),
            ("config get save", "*2;$4;save;$0;"), ("command docs get", "*0"), ("command info nothing", "*1;$-1"),
            ("config", "-ERR wrong number of arguments for 'config' command"),
        ],
        "subscribing": [
            ("subscribe a b a", "*3;$9;subscribe;$1;a;:1;*3;$9;subscribe;$1;b;:2;*3;$9;subscribe;$1;a;:2"),
            (
                "get a",
                "-ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"
            ),
            ("ping", "*2;$4;pong;$0;"), ("psubscribe x*", "*3;$10;psubscribe;$2;x*;:3"),
            ("unsubscribe a nothing", "*3;$11;unsubscribe;$1;a;:2;*3;$11;unsubscribe;$7;nothing;:2"),
            ("punsubscribe", "*3;$12;punsubscribe;$2;x*;:1"), ("unsubscribe", "*3;$11;unsubscribe;$1;b;:0"),
            ("unsubscribe", "*3;$11;unsubscribe;$-1;:0"), ("publish a x", ":0"),
            ("subscribe a", "*3;$9;subscribe;$1;a;:1"),
            ("reset", "+RESET"), ("publish a x", ":0"),
        ],
    ]

    @Test("Requests are answered in order", arguments: LoopKind.all, [1, 2])
    func dialogues(_ loop: LoopKind, _ threads: Int) async throws {
        for (name, lines) in Self.dialogues {
            let site = try Site(loop, threads: threads)
            // Requests after QUIT are ignored.
            let requests = lines.map { $0.0 + "\r\n" }.joined() + "QUIT\r\nset a b\r\n"
            let replies = lines.map { $0.1.replacing(";", with: "\r\n") } + ["+OK", ""]
            let heard = String(try await site.exchange(Bytes(requests))).lines.map { Self.inTime($0) }
            #expect(heard == replies.joined(separator: "\r\n").lines.map(String.init), "\(name)")
            try await site.stop()
        }
    }

    /// Rounds a time to live up to the value that was set, by at most five seconds, because time passes on a slow
    /// machine.
    private static func inTime(_ line: some StringProtocol) -> String {
        guard line.hasPrefix(":"), let number = Int(line.dropFirst()) else { return String(line) }
        for set in [100, 200, 9_223_372_036, 9_223_370_000_000_000] where (set - 5..<set).contains(number) {
            return ":\(set)"
        }
        return String(line)
    }

    @Test(
        "A malformed request ends its connection, after the replies to earlier requests",
        arguments: LoopKind.all,
        [1, 2]
    )
    func malformed(_ loop: LoopKind, _ threads: Int) async throws {
        let site = try Site(loop, threads: threads)
        let other = try await site.connect()
        let replies = try await site.exchange("set a 1\r\n*1\r\n!3\r\nget a\r\n")
        #expect(replies == "+OK\r\n-ERR Protocol error: expected '$', got '!'\r\n")
        other.connection.send("get a\r\n")
        #expect(try await other.hears("$1\r\n1\r\n"))
        try await site.stop()
    }

    /// Lines of HTTP requests, as a browser sends them to any port. The words in front of them must not matter.
    static let ofHTTP: [Bytes] = [
        "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n", "post\r\n", "  PoSt x\r\n", "\"po\\x73t\"\r\n", "Host: a\r\n",
        "hOST: a:6379\r\n", "host:\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "PUT /a HTTP/1.1\r\nHost: a\r\n\r\n",
        "*1\r\n$4\r\nPOST\r\n", "*2\r\n$5\r\nHost:\r\n$1\r\na\r\n", "*1\r\n$6\r\npost\0x\r\n",
        "subscribe a\r\npost\r\n", "monitor\r\nhost: a\r\n", "ping\r\nset b 1\r\nPOST / HTTP/1.1\r\n",
    ]

    @Test(
        "An HTTP request ends its connection as in Redis, drops the unsent replies, and executes no later request",
        arguments: LoopKind.all,
        [1, 2]
    )
    func http(_ loop: LoopKind, _ threads: Int) async throws {
        let site = try Site(loop, threads: threads)
        for request in Self.ofHTTP {
            let replies = try await site.exchange(Bytes(joining: [request, "set hacked 1\r\nping\r\n"]))
            #expect(replies == "", "\(request)")
        }
        // These words are not those of HTTP. Replies that were sent before a word of HTTP still arrive.
        let peer = try await site.connect()
        for (word, reply) in [("posts", "posts"), ("host", "host"), ("Host:a", "Host:a")] {
            peer.connection.send("\(word)\r\n")
            #expect(try await peer.hears("-ERR unknown command '\(reply)', with args beginning with: \r\n"))
        }
        peer.connection.send("exists hacked b\r\n")
        #expect(try await peer.hears(":1\r\n"))
        peer.connection.send("POST / HTTP/1.1\r\n")
        #expect(try await peer.rest() == "")
        try await site.stop()
        #expect(site.service.clients.count == 0)
    }

    @Test(
        "Closing answers the requests that have arrived, ends each connection and releases the clients",
        arguments: LoopKind.all,
        [1, 2]
    )
    func closing(_ loop: LoopKind, _ threads: Int) async throws {
        let site = try Site(loop, threads: threads)
        let idle = try await site.connect()
        idle.connection.send("subscribe news\r\n")
        #expect(try await idle.hears("*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n"))
        #expect(try await site.exchange("set a 1\r\nget a\r\nshutdown\r\n") == "+OK\r\n$1\r\n1\r\n")
        #expect(try await idle.rest() == "")
        try await site.stop()
        #expect(site.service.clients.count == 0 && site.service.channels.counts == (0, 0))
    }

    @Test(
        "Concurrent increments from many connections are all counted, and each connection receives its replies in order",
        arguments: LoopKind.all,
        [1, 3]
    )
    func counting(_ loop: LoopKind, _ threads: Int) async throws {
        let site = try Site(loop, threads: threads)
        let requests = Bytes(joining: Array(repeating: array("INCR", "n"), count: 2000) + ["quit\r\n"])
        let all = try await withThrowingTaskGroup(of: Bytes.self, returning: [Bytes].self) { group in
            for _ in 0..<8 { group.addTask { try await site.exchange(requests) } }
            var all: [Bytes] = []
            for try await replies in group { all.append(replies) }
            return all
        }
        var seen: Set<Int> = []
        for replies in all {
            let numbers = String(replies).split(separator: "\r\n").dropLast().compactMap { Int($0.dropFirst()) }
            #expect(numbers.count == 2000 && numbers == numbers.sorted())
            seen.formUnion(numbers)
        }
        #expect(seen == Set(1...16_000))
        try await site.stop()
    }
}

extension String {
    fileprivate var lines: [Substring] { split(separator: "\r\n", omittingEmptySubsequences: false) }

    fileprivate func replacing(_ text: Character, with other: String) -> String {
        split(separator: text, omittingEmptySubsequences: false).joined(separator: other)
    }
}
