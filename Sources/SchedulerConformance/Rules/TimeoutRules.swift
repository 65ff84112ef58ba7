// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// N27: time limits.
enum TimeoutRules {
    static let all = [n27]

    static let n27 = Rule.ofSockets(
        "N27",
        "No timeout is early; pausing the receiver is not silence; `writeStalled` resets a peer that reads nothing; `halfClosed` finds one that has left."
    ) { _, _, bench in
        try silence(bench)
        try pause(bench)
        try stalledWrite(bench)
        try leaving(bench)
    }

    private static let limit = Duration.milliseconds(60)

    /// The peer sends nothing, so it receives end of stream.
    private static func silence(_ bench: SocketBench) throws {
        for timeouts in [
            ConnectionTimeouts(idle: limit), ConnectionTimeouts(readStalled: limit),
            ConnectionTimeouts(lifetime: limit),
        ] {
            let (client, connection) = try bench.connect()
            let received = connection.received.log()
            let ended = connection.ended.log()
            let start = Platform.now
            connection.setTimeouts(timeouts)
            try expectTimeOut(bench, ended, since: start, "a silent peer")
            bench.check.equal(received.code, .timedOut, "the receiver's error")
            bench.check.equal(try bench.receiveToEnd(at: client).end, .end, "the end of the client's stream")
        }
    }

    /// The receiver is paused for much longer than the limit. The limit starts over at the end of the pause.
    private static func pause(_ bench: SocketBench) throws {
        let (check, loop) = (bench.check, bench.loop)
        let (client, connection) = try bench.connect()
        let received = connection.received.log()
        let ended = connection.ended.log()
        connection.setTimeouts(ConnectionTimeouts(idle: limit, readStalled: limit))
        let pause = received.subscription.pause()
        client.send([1])
        let end = Platform.now + limit * 5
        try check.turns(loop, until: "a pause of five times the limit has passed") { Platform.now > end }
        check.expect(!ended.hasEnded, "a paused connection is open", seen: "\(ended.ends)")
        let start = Platform.now
        pause.dispose()
        try expectTimeOut(bench, ended, since: start, "a peer that is silent after a pause")
        check.equal(received.bytes, [1], "bytes received after the pause")
    }

    /// The peer sends and does not read. Bytes are dropped, so it is reset.
    private static func stalledWrite(_ bench: SocketBench) throws {
        let (client, connection) = try bench.connect(receiveBuffer: 4096)
        let received = connection.received.log()
        let ended = connection.ended.log()
        let start = Platform.now
        connection.setTimeouts(ConnectionTimeouts(writeStalled: limit))
        let sent = connection.send(Bytes(bench.check.noise(16_000_000))).log()
        try expectTimeOut(bench, ended, since: start, "a peer that does not read") { client.send([1]) }
        bench.check.equal(
            [sent.code, received.code],
            [.timedOut, .timedOut],
            "the errors of the send and the receiver"
        )
        try bench.expectReset(of: client, "a peer that misses bytes is reset")
    }

    /// The peer ends its stream, behind a byte that nothing receives, and in front of a receiver.
    private static func leaving(_ bench: SocketBench) throws {
        for isRead in [false, true] {
            let (client, connection) = try bench.connect()
            let ended = connection.ended.log()
            connection.setTimeouts(ConnectionTimeouts(halfClosed: limit))
            if isRead { _ = connection.received.log() }
            client.send([1])
            try bench.check.turns(bench.loop, 10)
            bench.check.expect(!ended.hasEnded, "the connection of a peer that is there is open", seen: "\(ended.ends)")
            let start = Platform.now
            client.finish()
            try expectTimeOut(bench, ended, since: start, "a peer that has left")
        }
    }

    private static func expectTimeOut(
        _ bench: SocketBench,
        _ ended: Log<Never, SocketError>,
        since start: LoopInstant,
        _ what: String,
        _ body: () -> Void = {}
    ) throws {
        try bench.check.turns(bench.loop, until: "the connection of \(what) has ended") {
            // A send after the end would consume the reset that the next read must report.
            if !ended.hasEnded { body() }
            return ended.hasEnded
        }
        let seen = Platform.now - start
        bench.check.equal(ended.code, .timedOut, "the error of the connection of \(what)")
        bench.check.expect(seen >= limit, "it ends after at least \(limit)", seen: "after \(seen)")
    }
}
