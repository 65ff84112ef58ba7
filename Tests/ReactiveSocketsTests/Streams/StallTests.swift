// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

/// Passes bytes on unchanged.
private struct Unchanged: ConnectionTransformer {
    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) { out.toApplication(bytes) }

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) { out.toPeer(bytes) }
}

/// Keeps all bytes until the peer has sent something, like a handshake.
private struct Handshake: ConnectionTransformer {
    private var kept: [Bytes] = []
    private var isDone = false

    var heldCount: Int { kept.reduce(0) { $0 + $1.count } }

    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) {
        isDone = true
        for bytes in kept { out.toPeer(bytes) }
        kept = []
    }

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) {
        if isDone { out.toPeer(bytes) } else { kept.append(bytes) }
    }
}

extension Sockets {
    /// What each timeout measures. All of them run on a clock that the test advances.
    @Suite struct StallTests {
        private let idle = ConnectionTimeouts(idle: .seconds(40))
        private let reading = ConnectionTimeouts(readStalled: .seconds(40), halfClosed: nil)
        private let writing = ConnectionTimeouts(writeStalled: .seconds(40))
        private let both = ConnectionTimeouts(idle: .seconds(40), readStalled: .seconds(40), halfClosed: nil)

        @Test("N27: a peer that is silent while the connection reads is idle", arguments: LoopKind.all, [false, true])
        func silent(_ kind: LoopKind, _ isTransformed: Bool) throws {
            let pair = try TimedPair(kind, transformer: isTransformed ? Unchanged() : nil)
            let received = pair.connection.received.log()
            pair.connection.setTimeouts(idle)
            try pair.pass(200) { pair.peer.send([1]) }
            #expect(pair.isOpen && received.bytes.count == 40)
            try pair.expectTimeOut(after: 40, saying: "it was idle for 40")
            #expect(received.code == .timedOut)
        }

        @Test(
            "N27: time does not count while the receiver is paused, and the clock restarts after the pause",
            arguments: LoopKind.all,
            [false, true]
        )
        func paused(_ kind: LoopKind, _ isTransformed: Bool) throws {
            let pair = try TimedPair(kind, transformer: isTransformed ? Unchanged() : nil)
            let received = pair.connection.received.log()
            pair.connection.setTimeouts(both)
            try pair.pass(35)
            let pause = received.subscription.pause()
            pair.peer.send([1, 2, 3])
            try pair.pass(400)
            #expect(pair.isOpen && received.bytes.isEmpty)
            pause.dispose()
            try pair.expectTimeOut(after: 40, saying: "for 40")
            #expect(received.bytes == [1, 2, 3])
        }

        @Test("N27: a rate limit does not make the peer idle", arguments: LoopKind.all)
        func rateLimited(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind)
            pair.connection.setTimeouts(idle)
            let limited = pair.connection.received.rateLimit(1, per: .seconds(100), on: pair.loop, limit: 1).log()
            for byte in UInt8(0)..<4 {
                pair.peer.send([byte])
                try pair.loop.turns(3)
            }
            try pair.pass(190)
            #expect(pair.isOpen && !limited.hasEnded && limited.values.count == 2)
        }

        @Test("N27: a pause between two checks does not count either", arguments: LoopKind.all)
        func shortPauses(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind)
            let received = pair.connection.received.log()
            pair.connection.setTimeouts(both)
            // Checks are at multiples of ten seconds. The receiver is paused for five seconds between them.
            for _ in 0..<20 {
                let pause = received.subscription.pause()
                try pair.pass(5)
                pause.dispose()
                try pair.pass(5)
            }
            #expect(pair.isOpen)
            try pair.expectTimeOut(after: 35, saying: "for 40")
        }

        @Test("N27: without a receiver a connection can be idle, but reads cannot stall", arguments: LoopKind.all)
        func absentReceiver(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind)
            pair.connection.setTimeouts(reading)
            try pair.pass(400)
            #expect(pair.isOpen)
            pair.connection.setTimeouts(idle)
            try pair.pass(200) { pair.connection.send([1]) }
            #expect(pair.isOpen)
            try pair.expectTimeOut(after: 40, saying: "it was idle for 40")
        }

        @Test(
            "N27: a peer that does not read is idle and stalls writes, even if the receiver is paused",
            arguments: LoopKind.all,
            [false, true]
        )
        func bothStalled(_ kind: LoopKind, _ isIdle: Bool) throws {
            let pair = try TimedPair(kind)
            let received = pair.connection.received.log()
            pair.connection.setTimeouts(isIdle ? idle : writing)
            let pause = received.subscription.pause()
            try pair.pass(100)
            #expect(pair.isOpen)
            try pair.fill()
            let reason = isIdle ? "it was idle for 40" : "the peer accepted nothing for 40"
            try pair.expectTimeOut(after: 40, saying: reason)
            pause.dispose()
        }

        @Test("N27: writes can stall while the peer sends, and such a peer is not idle", arguments: LoopKind.all)
        func writesStall(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind)
            let received = pair.connection.received.log()
            pair.connection.setTimeouts(both)
            try pair.fill()
            try pair.pass(200) { pair.peer.send([1]) }
            #expect(pair.isOpen && received.bytes.count == 40)
            pair.connection.setTimeouts(writing)
            try pair.expectTimeOut(after: 40, saying: "the peer accepted nothing for 40") { pair.peer.send([1]) }
        }

        @Test("N27: a peer that reads slowly does not stall writes", arguments: LoopKind.all)
        func slowPeer(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind)
            pair.connection.setTimeouts(ConnectionTimeouts(idle: .seconds(40), writeStalled: .seconds(40)))
            try pair.fill()
            pair.connection.send(Bytes(noise(8_000_000)))
            for _ in 0..<10 {
                try pair.pass(25)
                for _ in 0..<4 { _ = pair.peer.receive() }
            }
            #expect(pair.isOpen && pair.connection.core.value.sending.isBlocked)
            try pair.expectTimeOut(after: 40, saying: "for 40")
        }

        @Test(
            "N27: reads can stall while this side sends, and the connection is then not idle",
            arguments: LoopKind.all
        )
        func readsStall(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind)
            let received = pair.connection.received.log()
            pair.connection.setTimeouts(idle)
            try pair.pass(200) { pair.connection.send([1]) }
            #expect(pair.isOpen)
            pair.connection.setTimeouts(reading)
            try pair.expectTimeOut(after: 40, saying: "the peer sent nothing for 40") { pair.connection.send([1]) }
            #expect(received.code == .timedOut)
        }

        @Test(
            "N27: after the peer's end of stream reads cannot stall, but the connection can be idle",
            arguments: LoopKind.all
        )
        func halfClosed(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind)
            let received = pair.connection.received.log()
            pair.connection.setTimeouts(reading)
            pair.peer.finish()
            try pair.pass(200)
            #expect(pair.isOpen && received.isCompleted)
            pair.connection.setTimeouts(idle)
            try pair.pass(200) { pair.connection.send([1]) }
            #expect(pair.isOpen)
            try pair.expectTimeOut(after: 40, saying: "it was idle for 40")
        }

        @Test("N27: an end of stream that waits behind a pause does not count", arguments: LoopKind.all, [false, true])
        func endBehindPause(_ kind: LoopKind, _ isTransformed: Bool) throws {
            let pair = try TimedPair(kind, transformer: isTransformed ? Unchanged() : nil)
            let received = pair.connection.received.log()
            pair.connection.setTimeouts(both)
            let pause = received.subscription.pause()
            pair.peer.finish()
            try pair.pass(200)
            #expect(pair.isOpen && !received.hasEnded)
            pause.dispose()
            try pair.loop.turns(3)
            #expect(received.isCompleted)
        }

        @Test(
            "N27: waiting for the peer while a transformer keeps bytes counts as reading",
            arguments: LoopKind.all
        )
        func handshake(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind, transformer: Handshake())
            pair.connection.setTimeouts(ConnectionTimeouts(idle: .seconds(40), writeStalled: .seconds(40)))
            let sent = pair.connection.send("hello").log()
            try pair.pass(30)
            #expect(pair.isOpen && !sent.hasEnded)
            let received = pair.connection.received.log()
            try pair.expectTimeOut(after: 40, saying: "it was idle for 40.0 seconds; 5 bytes were not sent")
            #expect(sent.code == .timedOut && received.code == .timedOut)
        }

        @Test(
            "N27: the lifetime counts during a pause and with traffic, and new limits replace it",
            arguments: LoopKind.all
        )
        func lifetime(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind)
            let received = pair.connection.received.log()
            pair.connection.setTimeouts(ConnectionTimeouts(lifetime: .seconds(40)))
            try pair.pass(35)
            pair.connection.setTimeouts(ConnectionTimeouts())
            try pair.pass(100)
            pair.connection.setTimeouts(ConnectionTimeouts(lifetime: .seconds(40)))
            let pause = received.subscription.pause()
            try pair.expectTimeOut(after: 40, saying: "it reached its lifetime of 40") { pair.peer.send([1]) }
            pause.dispose()
        }
    }
}
