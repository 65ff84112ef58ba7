// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// N11–N13, N26: receiving, and end of stream.
enum ReceivingRules {
    static let all = [n11, n12, n13, n26]

    static let n11 = Rule.ofSockets(
        "N11",
        "After a pause nothing is received; later bytes and the end of stream are received after the resume."
    ) { check, loop, bench in
        let (client, connection) = try bench.connect()
        let log = connection.received.log()
        client.send([1])
        try check.turns(loop, until: "a byte is received") { log.bytes == [1] }
        let (one, two) = (log.subscription.pause(), log.subscription.pause())
        client.send([2])
        try check.turns(loop, 10)
        one.dispose()
        client.send([3])
        try check.turns(loop, 10)
        check.equal(log.bytes, [1], "bytes received while one of two pause tokens is left")
        two.dispose()
        try check.turns(loop, until: "the rest is received") { log.bytes == [1, 2, 3] }
        let hold = log.subscription.pause()
        client.send([4])
        client.finish()
        try check.turns(loop, 10)
        check.expect(
            log.bytes == [1, 2, 3] && !log.hasEnded,
            "neither bytes nor the end of stream during a pause",
            seen: "\(log.bytes)"
        )
        hold.dispose()
        try check.turns(loop, until: "the end of stream is received") { log.hasEnded }
        check.equal(log.bytes, [1, 2, 3, 4], "bytes received in total")
        check.expect(log.isCompleted, "the received signal has completed")
        connection.finishSending()
        try pausingInside(check, loop, bench)
        try holdingBack(check, loop, bench)
    }

    /// A pause of the receiver must reach the peer through TCP, so that the peer cannot send without limit.
    private static func holdingBack(_ check: Check, _ loop: any LoopScheduler, _ bench: SocketBench) throws {
        let (client, connection) = try bench.connect()
        let log = connection.received.log()
        client.send([0])
        try check.turns(loop, until: "a byte is received") { log.bytes == [0] }
        let hold = log.subscription.pause()
        let most = 64_000_000
        let piece = [UInt8](repeating: 1, count: 1_000_000)
        var (sent, quiet) = (0, 0)
        while sent < most, quiet < 10 {
            let taken = client.send(piece)
            sent += taken
            quiet = taken == 0 ? quiet + 1 : 0
            try check.turns(loop, 3)
        }
        check.expect(sent < most, "back-pressure stops the peer", seen: "it sent \(sent) bytes to a paused receiver")
        hold.dispose()
        client.finish()
        try check.turns(loop, until: "everything is received") { log.hasEnded }
        let received = log.values.reduce(0) { sum, bytes in sum + bytes.count }
        check.equal(received, 1 + sent, "bytes received after the pause")
        connection.finishSending()
    }

    /// A pause during the delivery, and a pause before the first chunk.
    private static func pausingInside(_ check: Check, _ loop: any LoopScheduler, _ bench: SocketBench) throws {
        let (client, connection) = try bench.connect()
        let (count, hold) = (Box(0), Box<(any Disposable)?>(nil))
        let subscription = SignalSubscription()
        hold.value = subscription.pause()
        connection.received.subscribe(
            in: subscription,
            onValue: { bytes in
                count.increment(by: bytes.count)
                hold.value = subscription.pause()
            },
            onTermination: check.noFailure(of: "the receiver")
        )
        // Nothing is received, so the kernel may accept only a part.
        let sent = client.send(check.noise(200_000))
        try check.turns(loop, 10)
        check.equal(count.value, 0, "bytes received before the first pause token is disposed")
        while count.value < sent {
            let before = count.value
            hold.value?.dispose()
            try check.turns(loop, until: "a chunk is received") { count.value > before }
            let after = count.value
            try check.turns(loop, 3)
            check.equal(count.value, after, "bytes received after a pause in the callback")
            if count.value != after { break }
        }
        subscription.dispose()
        hold.value = nil
        connection.close()
    }

    static let n26 = Rule.ofSockets(
        "N26",
        "`endOfStream` reports the peer's end or reset without a receiver, or while it is paused; unread bytes come first."
    ) { check, loop, bench in
        for (isReset, isPaused) in [(false, false), (true, false), (false, true), (true, true)] {
            let (client, connection) = try bench.connect()
            let paused = isPaused ? connection.received.log() : nil
            let hold = paused?.subscription.pause()
            let end = connection.endOfStream.log()
            try check.turns(loop, 3)
            check.expect(!end.hasEnded, "no termination while the peer is connected", seen: "\(end.ends)")
            if isReset { client.reset() } else { client.finish() }
            try check.turns(loop, until: "the \(isReset ? "reset" : "end of stream") is reported") { end.hasEnded }
            hold?.dispose()
            let received = paused ?? connection.received.log()
            try check.turns(loop, until: "the receiver terminates, too") { received.hasEnded }
            check.equal(received.code, isReset ? .reset : nil, "the receiver's error")
            connection.abort()
        }
        let (client, connection) = try bench.connect()
        let end = connection.endOfStream.log()
        // One byte, because a read may return a part of several bytes.
        client.send([7])
        client.finish()
        try check.turns(loop, 10)
        check.expect(!end.hasEnded, "no termination before the unread bytes are received", seen: "\(end.ends)")
        let received = connection.received.take(1).log()
        try check.turns(loop, until: "the bytes are received") { received.hasEnded }
        check.equal(received.bytes, [7], "the received bytes")
        try check.turns(loop, until: "the end of stream after them is reported") { end.hasEnded }
        connection.abort()
    }

    static let n12 = Rule.ofSockets(
        "N12",
        "Half-close: each direction ends once and the other stays open; queued bytes precede the end; a second call does nothing."
    ) { check, loop, bench in
        do {
            let (client, connection) = try bench.connect()
            let log = connection.received.log()
            client.finish()
            client.finish()
            try check.turns(loop, until: "the end of stream is received") { log.hasEnded }
            check.expect(log.isCompleted, "the received signal has completed")
            connection.send("still ")
            let end = connection.send("here").log()
            connection.finishSending()
            connection.finishSending()
            let (bytes, last) = try bench.receiveToEnd(at: client)
            check.equal(
                String(decoding: bytes, as: UTF8.self),
                "still here",
                "bytes that the client received after its own end of stream"
            )
            check.equal(last, .end, "the end of the client's stream")
            check.expect(end.isCompleted, "the send has completed")
        }
        do {
            let (client, connection) = try bench.connect()
            let large = check.noise(3_000_000)
            connection.send(Bytes(large))
            connection.finishSending()
            let late = connection.send("late").log()
            let log = connection.received.log()
            let (bytes, last) = try bench.receiveToEnd(at: client)
            check.expect(bytes, sent: large, "3 MB arrive before the end of stream")
            check.equal(last, .end, "the end of the client's stream")
            check.equal(late.code, .closed, "the error of a send after `finishSending`")
            client.send("and more".utf8)
            client.finish()
            try check.turns(loop, until: "the other direction ends") { log.hasEnded }
            check.equal(String(decoding: log.bytes, as: UTF8.self), "and more", "bytes received after `finishSending`")
            check.expect(log.isCompleted, "the received signal has completed")
        }
    }

    static let n13 = Rule.ofSockets(
        "N13",
        "A reset is reported once to every waiting observer; `abort` drops queued bytes and resets the peer."
    ) { check, loop, bench in
        do {
            let (client, connection) = try bench.connect(receiveBuffer: 4096)
            let received = connection.received.log()
            let large = connection.send(Bytes(check.noise(16_000_000))).log()
            try check.turns(loop, 5)
            check.expect(!large.hasEnded, "a send to a peer that does not read is pending")
            client.reset()
            try check.turns(loop, until: "the reset is reported to the receiver and the sender") {
                received.hasEnded && large.hasEnded
            }
            try check.turns(loop, 3)
            check.equal(received.code, .reset, "the receiver's error")
            check.equal(large.code, .reset, "the sender's error")
            let again = connection.received.log()
            try check.turns(loop, until: "a later receiver terminates") { again.hasEnded }
            check.equal(again.code, .reset, "the later receiver's error")
            check.equal(
                [received.ends.count, large.ends.count],
                [1, 1],
                "terminations of the receiver and the sender"
            )
            connection.abort()
        }
        do {
            // If the connection sends nothing, the receiver detects the reset.
            let (client, connection) = try bench.connect()
            let received = connection.received.log()
            try check.turns(loop, 3)
            client.reset()
            try check.turns(loop, until: "the reset is reported to a connection that only receives") {
                received.hasEnded
            }
            check.equal(received.code, .reset, "the error of a connection that only receives")
            connection.abort()
        }
        do {
            let (client, connection) = try bench.connect(receiveBuffer: 4096)
            let end = connection.send(Bytes(check.noise(16_000_000))).log()
            let received = connection.received.log()
            try check.turns(loop, 2)
            connection.abort()
            connection.abort()
            try check.turns(loop, until: "the aborted connection's own signals terminate") {
                received.hasEnded && end.hasEnded
            }
            check.equal([end.code, received.code], [.closed, .closed], "their errors")
            try bench.expectReset(of: client, "the peer of an aborted connection is reset")
        }
    }
}
