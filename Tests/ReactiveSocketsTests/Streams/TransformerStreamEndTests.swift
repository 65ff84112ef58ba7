// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

/// Delivers each received byte separately. A full stop ends the stream of the application.
private struct Marking: ConnectionTransformer {
    /// If this is true at first, the transformer receives without a reader until the full stop.
    private(set) var needsInput = false

    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) {
        for byte in bytes {
            if byte == UInt8(ascii: ".") {
                out.endApplicationStream()
                needsInput = false
            } else {
                out.toApplication(Bytes([byte]))
            }
        }
    }

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) { out.toPeer(bytes) }

    /// Receives without a reader.
    static var eager: Marking {
        var transformer = Marking()
        transformer.needsInput = true
        return transformer
    }
}

extension Sockets {
    @Suite struct TransformerStreamEndTests {
        @Test(
            "N26: a paused reader does not delay endOfStream once no byte precedes an end that was read with data",
            arguments: LoopKind.all
        )
        func paused(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind, transformer: Marking())
            let connection = pair.connection
            let (received, hold) = (Log<Bytes, SocketError>(), Box<(any Disposable)?>(nil))
            connection.received.subscribe(
                in: received.subscription,
                onValue: { bytes in
                    received.take(bytes)
                    hold.value = received.subscription.pause()
                },
                onTermination: { received.take(end: $0) }
            )
            let early = connection.endOfStream.log()
            try pair.loop.turns(2)
            pair.peer.send("ab.".utf8)
            try pair.loop.turns { received.bytes.count == 1 }
            try pair.loop.turns(3)
            #expect(!early.hasEnded, "a byte still precedes the end")
            hold.value?.dispose()
            try pair.loop.turns { received.bytes.count == 2 }
            try pair.loop.turns(3)
            #expect(early.hasEnded && !received.hasEnded)
            let late = connection.endOfStream.log()
            try pair.loop.turns(3)
            #expect(late.hasEnded)
            #expect(connection.hasUnreadInput)
            hold.value?.dispose()
            try pair.loop.turns { received.hasEnded }
            #expect(received.bytes == Array("ab".utf8) && received.isCompleted)
            #expect(early.ends == [.completed] && late.ends == [.completed])
        }

        @Test("N26: without a reader, endOfStream waits for the bytes before the end", arguments: LoopKind.all)
        func unread(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind, transformer: Marking.eager)
            let connection = pair.connection
            let early = connection.endOfStream.log()
            pair.peer.send("a.".utf8)
            try pair.loop.turns { connection.core.value.receiving.stream == .endHeld }
            let waiting = connection.endOfStream.log()
            try pair.loop.turns(3)
            #expect(!early.hasEnded && !waiting.hasEnded, "a byte still precedes the end")
            let first = connection.received.take(1).log()
            try pair.loop.turns { first.hasEnded }
            #expect(first.bytes == Array("a".utf8))
            try pair.loop.turns(3)
            let late = connection.endOfStream.log()
            try pair.loop.turns(3)
            #expect(early.hasEnded && waiting.hasEnded && late.hasEnded)
            #expect(connection.hasUnreadInput)
            let second = connection.received.log()
            try pair.loop.turns { second.hasEnded }
            #expect(second.isCompleted && second.values.isEmpty)
        }

        @Test("N26: without a reader, an end without bytes completes endOfStream at once", arguments: LoopKind.all)
        func empty(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind, transformer: Marking.eager)
            let connection = pair.connection
            let early = connection.endOfStream.log()
            pair.peer.send(".".utf8)
            try pair.loop.turns { connection.core.value.receiving.stream == .endHeld }
            try pair.loop.turns(3)
            let late = connection.endOfStream.log()
            try pair.loop.turns(3)
            #expect(early.hasEnded && late.hasEnded)
            #expect(connection.hasUnreadInput)
            let received = connection.received.log()
            try pair.loop.turns { received.hasEnded }
            #expect(received.isCompleted && received.values.isEmpty)
        }
    }
}
