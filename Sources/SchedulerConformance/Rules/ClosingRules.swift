// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSignals
import ReactiveSockets

/// N14, N15, N24: closing by this side.
enum ClosingRules {
    static let all = [n14, n15, n24]

    static let n14 = Rule.ofSockets(
        "N14",
        "`close` sends queued bytes, even if the peer keeps sending; later sends fail (`closed`); each signal terminates once."
    ) { check, loop, bench in
        // A connection stops waiting for its peer two seconds after its last byte was sent. The test is repeated if the
        // machine may have paused for that long.
        var isSoon = false
        for _ in 0..<3 where !isSoon {
            isSoon = try closes(check, loop, bench)
            if !isSoon { check.note("the stream ended 1.5 s after the last byte, or later") }
        }
        check.expect(isSoon, "the stream ends within 1.5 s of the last byte", seen: "later, in three tries")
    }

    /// Returns false if the client has not read everything soon after it was sent.
    private static func closes(_ check: Check, _ loop: any LoopScheduler, _ bench: SocketBench) throws -> Bool {
        let (client, connection) = try bench.connect()
        client.send(check.noise(10_000))
        let data = check.noise(6_000_000)
        let end = connection.send(Bytes(data)).log()
        let received = connection.received.log()
        connection.close()
        connection.close()
        let late = connection.send("late").log()
        try check.turns(loop, until: "the receiver and the late send have terminated") {
            received.hasEnded && late.hasEnded
        }
        check.equal([received.code, late.code], [.closed, .closed], "their errors")
        check.equal(received.values.count, 0, "chunks after the close")
        var all: [UInt8] = []
        var last = RawPeer.Read.nothing
        var sending = Platform.now
        try check.turns(loop, until: "the client's stream has ended") {
            if !end.hasEnded { sending = Platform.now }
            last = client.receive()
            if case .bytes(let bytes) = last { all += bytes }
            // The client continues to send.
            if all.count < data.count { client.send([1, 2, 3]) }
            if case .failed = last { return true }
            return last == .end
        }
        if Platform.now - sending > .milliseconds(1500) { return false }
        check.equal(last, .end, "the end of the client's stream")
        check.expect(all, sent: data, "6 MB queued at the close arrive")
        check.expect(end.isCompleted, "the send has completed")
        check.equal([end.ends.count, received.ends.count], [1, 1], "terminations of the send and the receiver")
        client.finish()
        return true
    }

    static let n24 = Rule.ofSockets(
        "N24",
        "`close` resets a peer that accepts no byte for 2 s, or at its time limit (`timedOut`); a slow peer receives everything."
    ) { check, loop, bench in
        let data = check.noise(16_000_000)
        // One peer reads nothing. Another one reads a little now and then, for longer than two seconds.
        let silent = try Closing(bench, data) { $0.close() }
        let slow = try Closing(bench, data) { $0.close() }
        var taken: [UInt8] = []
        for step in 1...4 {
            let next = Platform.now + .milliseconds(700)
            try check.turns(loop, until: "step \(step) of a slow peer") { Platform.now > next }
            for _ in 0..<20 { if case .bytes(let bytes) = slow.client.receive() { taken += bytes } }
        }
        try silent.expectReset(bench, after: .seconds(2))
        let (rest, last) = try bench.receiveToEnd(at: slow.client)
        check.expect(taken + rest, sent: data, "16 MB reach a slow peer")
        check.equal(last, .end, "the end of its stream")
        slow.client.close()
        try check.turns(loop, until: "its connection has ended") { slow.hasEnded }
        check.expect(slow.ended.isCompleted, "the connection of a slow peer completes", seen: "\(slow.ended.ends)")
        let limit = Duration.milliseconds(50)
        try Closing(bench, data) { $0.close(within: limit) }.expectReset(bench, after: limit)
        // Without the limit, a slow peer would keep its connection open for minutes.
        try Closing(bench, data) { $0.close(within: limit) }.expectReset(bench, after: limit, peerReads: true)
    }

    /// A connection that is being closed while many bytes wait to be sent.
    private struct Closing {
        let client: RawPeer
        let sent: Log<Never, SocketError>
        let ended: Log<Never, SocketError>
        private let start: LoopInstant
        /// When the connection ended.
        private let end = Box<LoopInstant?>(nil)

        init(_ bench: SocketBench, _ data: [UInt8], _ close: (Connection) -> Void) throws {
            let connection: Connection
            (client, connection) = try bench.connect(receiveBuffer: 4096)
            sent = connection.send(Bytes(data)).log()
            ended = connection.ended.log()
            connection.ended.subscribe(onTermination: { [end] _ in end.value = Platform.now })
            start = Platform.now
            close(connection)
        }

        var hasEnded: Bool { ended.hasEnded && sent.hasEnded }

        /// Expects that a peer that reads nothing, or a little every 10 ms, is reset, but not before `time`.
        func expectReset(_ bench: SocketBench, after time: Duration, peerReads: Bool = false) throws {
            let check = bench.check
            var lastRead = start
            let what = "the connection of a peer that reads \(peerReads ? "little" : "nothing") has ended"
            try check.turns(bench.loop, until: what) {
                if peerReads, Platform.now > lastRead + .milliseconds(10) {
                    lastRead = Platform.now
                    _ = client.receive()
                }
                return hasEnded && end.value != nil
            }
            let seen = end.value.map { $0 - start } ?? .zero
            check.expect(seen >= time, "the peer is reset after at least \(time)", seen: "after \(seen)")
            check.equal([ended.code, sent.code], [.timedOut, .timedOut], "the errors of the connection and the send")
            try bench.expectReset(of: client, "a peer that does not read everything is reset")
        }
    }

    static let n15 = Rule.ofSockets(
        "N15",
        "Closing, aborting and half-closing are safe in callbacks of an accept, a chunk, a termination, a send and a watermark."
    ) { check, loop, bench in
        try insideAccept(check, loop)
        for way in 0..<3 {
            try insideChunk(bench, way)
            try insideResult(check, loop, way)
        }
        try closedOnce(check, loop, bench)
    }

    /// The connection must close its descriptor once: a second close could close the next owner's descriptor.
    private static func closedOnce(_ check: Check, _ loop: any LoopScheduler, _ bench: SocketBench) throws {
        for way in 0..<2 {
            let (client, connection) = try bench.connect()
            let others = Box<[Int32]>([])
            connection.received.subscribe(
                onValue: { _ in },
                onTermination: { _ in
                    others.value = (0..<20).map { _ in Descriptor.openFile("/dev/null") }
                }
            )
            if way == 0 { connection.abort() } else { client.reset() }
            try check.turns(loop, until: "the connection has ended") { !others.value.isEmpty }
            try check.turns(loop, 5)
            let open = others.value.filter { Descriptor.isOpen($0) }
            check.equal(open.count, 20, "unrelated descriptors that are still open")
            for descriptor in open { Descriptor.close(descriptor) }
        }
    }

    private static func insideAccept(_ check: Check, _ loop: any LoopScheduler) throws {
        let bench = try SocketBench(check, loop)
        let clients = try (0..<5).map { _ in try RawPeer(to: bench.listener.localAddress) }
        let (listener, count, ends) = (bench.listener, Box(0), Box(0))
        listener.connections.subscribe(
            onValue: { connection in
                connection.close()
                if count.increment() == 2 { listener.close() }
            },
            onTermination: { _ in ends.increment() }
        )
        try check.turns(loop, until: "a listener that is closed inside an accept has terminated") { ends.value == 1 }
        check.equal(count.value, 2, "peers accepted")
        for client in clients { client.close() }
        bench.end()
    }

    private static func insideChunk(_ bench: SocketBench, _ way: Int) throws {
        let (check, loop) = (bench.check, bench.loop)
        let (client, connection) = try bench.connect()
        let (count, ends) = (Box(0), Box(0))
        @Sendable func act() {
            switch way {
            case 0: connection.close()
            case 1: connection.abort()
            default: connection.finishSending()
            }
        }
        connection.received.subscribe(
            onValue: { _ in
                count.increment()
                act()
            },
            onTermination: { _ in
                ends.increment()
                act()
            }
        )
        // One byte, because a read may return a part of several bytes.
        client.send([7])
        try check.turns(loop, until: "a chunk is received") { count.value == 1 }
        if way == 2 {
            client.finish()
        } else {
            _ = try bench.receiveToEnd(at: client)
        }
        try check.turns(loop, until: "the receiver has terminated, way \(way)") { ends.value == 1 }
        try check.turns(loop, 3)
        check.equal([count.value, ends.value], [1, 1], "chunks and terminations, way \(way)")
    }

    private static func insideResult(_ check: Check, _ loop: any LoopScheduler, _ way: Int) throws {
        let bench = try SocketBench(check, loop, watermarks: Watermarks(high: 1000))
        let (client, connection) = try bench.connect(receiveBuffer: 4096)
        let (marks, ends) = (Box(0), Box(0))
        connection.isWritable.signal.subscribe(onValue: { isWritable in
            guard !isWritable else { return }
            marks.increment()
            switch way {
            case 0: connection.close()
            case 1: connection.abort()
            default: connection.send("again")
            }
        })
        connection.send(Bytes([UInt8](repeating: 1, count: 8_000_000))).subscribe(onTermination: { _ in
            ends.increment()
            connection.close()
            connection.send("never")
        })
        try check.turns(loop, until: "the high watermark is reported") { marks.value > 0 }
        let (bytes, end) = try bench.receiveToEnd(at: client)
        if way == 1 {
            if case .failed = end {} else { check.fail(expected: "a reset", seen: "\(end)") }
        } else {
            check.equal(bytes.count, way == 0 ? 8_000_000 : 8_000_005, "bytes that the client received, way \(way)")
            check.equal(end, .end, "the end of the client's stream")
        }
        client.close()
        try check.turns(loop, until: "the send has terminated") { ends.value == 1 }
        check.equal(marks.value, 1, "reports of the high watermark")
        bench.end()
    }
}
