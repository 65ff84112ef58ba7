// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

@testable import ReactiveSockets

@Suite struct LineTests {
    @Test("Lines are decoded wherever the stream is split, and the last one needs no terminator")
    func decoding() {
        let input = Array("grüße\r\n\n\rone\r\r\ntwo".utf8)
        for place in 0...input.count {
            let chunks = Subject<Bytes, SocketError>()
            let log = chunks.signal.lines().log()
            for part in [input[..<place], input[place...]] where !part.isEmpty { chunks.send(foreign(part)) }
            chunks.complete()
            #expect(log.values == ["grüße", "", "\rone\r", "two"] && log.isCompleted, "cut at \(place)")
        }
    }

    @Test("A line that is not valid UTF-8 fails with malformed, after the lines before it")
    func invalid() {
        let chunks = Subject<Bytes, SocketError>()
        let log = chunks.signal.lines().log()
        chunks.send(Bytes(Array("good\n".utf8) + [0xc3, 0x28, 10] + Array("never\n".utf8)))
        #expect(log.values == ["good"] && log.code == .malformed)
    }

    @Test("The limit of a line counts UTF-8 bytes, and is 64 KiB by default")
    func limits() {
        func input(_ text: String) -> Signal<Bytes, SocketError> { Signal(values: ["\(text)\n"]) }
        #expect(input("éé").lines(limit: 4).log().code == nil)
        #expect(input("éé").lines(limit: 3).log().code == .frameTooLong)
        #expect(input("").lines(limit: -1).log().values == [""])
        #expect(input("a").lines(limit: -1).log().code == .frameTooLong)
        let longest = String(repeating: "x", count: 64 * 1024)
        #expect(input(longest).lines().log().values == [longest])
        #expect(input(longest + "x").lines().log().code == .frameTooLong)
    }
}

extension Sockets {
    @Suite struct LineConnectionTests {
        private struct Stopped: Error {}

        @Test("Lines are received and answered with back-pressure", arguments: LoopKind.all)
        func answers(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let end = connection.send(lines: connection.lines.map { "<\($0)>" }).log()
            let lines = (0..<3000).map { "\($0) ü" }
            let input = Array(lines.joined(separator: "\r\n").utf8)
            let expected = Array(lines.map { "<\($0)>\n" }.joined().utf8)
            var (sent, all): (Int, [UInt8]) = (0, [])
            try server.loop.turns {
                if sent < input.count {
                    sent += client.send(input[sent...].prefix(10_000))
                    if sent == input.count { client.finish() }
                }
                if case .bytes(let bytes) = client.receive() { all += bytes }
                return end.hasEnded && all.count >= expected.count
            }
            #expect(all == expected && end.isCompleted)
            try server.expectNothingLeft(after: client)
        }

        @Test("A line that the peer would read as two is not sent, but later lines are", arguments: LoopKind.all)
        func refused(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let ends = ["a\nb", "a\r", "\n", "a\r\n"].map { connection.send(line: $0).log() }
            try server.loop.turns { ends.allSatisfy(\.hasEnded) }
            #expect(ends.allSatisfy { $0.code == .malformed })
            let good = ["", "a\rb", "ü"].map { connection.send(line: $0).log() }
            connection.finishSending()
            #expect(try server.receiveToEnd(at: client).bytes == Array("\na\rb\nü\n".utf8))
            #expect(good.allSatisfy { $0.isCompleted })
            connection.close()
            try server.expectNothingLeft(after: client)
        }

        @Test("A source that fails, or sends two lines as one, resets the connection", arguments: LoopKind.all)
        func failures(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let sources: [(Signal<String, any Error>, SocketError.Code)] = [
                (Signal(values: ["two\nlines"]), .malformed),
                (.fail(Stopped()), .sourceFailed),
                (.fail(SocketError(.timedOut, "late")), .timedOut),
            ]
            for (source, code) in sources {
                let (client, connection) = try server.connect()
                let end = connection.send(lines: source).log()
                let received = try server.receiveToEnd(at: client)
                if case .failed = received.end {} else { Issue.record("the client saw \(received.end)") }
                #expect(received.bytes.isEmpty && end.code == code)
                client.close()
            }
            try server.expectNothingLeft()
        }

        @Test(
            "Invalid UTF-8 or a line beyond the limit resets a connection that sends answers",
            arguments: LoopKind.all
        )
        func invalid(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let long = noise(70_000).map { $0 | 64 }
            for (bytes, code) in [([0xff, 10], SocketError.Code.malformed), (long, .frameTooLong)] {
                let (client, connection) = try server.connect()
                let end = connection.send(lines: connection.lines).log()
                var sent = 0
                try server.loop.turns {
                    sent += client.send(bytes[sent...])
                    return end.hasEnded
                }
                #expect(end.code == code)
                client.close()
            }
            try server.expectNothingLeft()
        }
    }
}
