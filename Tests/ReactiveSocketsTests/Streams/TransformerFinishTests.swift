// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import SchedulerConformance
import Testing

@testable import ReactiveSockets

/// Records the calls for sending, and ends the stream with two buffers.
private struct TwoPartEnd: ConnectionTransformer {
    let calls: Recorder<String>

    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) { out.toApplication(bytes) }

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) {
        calls.append(String(decoding: bytes, as: UTF8.self))
        out.toPeer(bytes)
    }

    mutating func finishSending(_ out: inout TransformedBytes) {
        calls.append("finish")
        out.toPeer("1")
        out.toPeer("2")
    }
}

extension Sockets {
    @Suite struct TransformerFinishTests {
        /// What the observer of a result does.
        enum Reaction: CaseIterable { case send, finishSending, close }

        @Test(
            "A transformer that has ended its stream is not called again by an observer of an earlier result",
            arguments: LoopKind.all,
            Reaction.allCases
        )
        func reacting(_ kind: LoopKind, _ reaction: Reaction) throws {
            let calls = Recorder<String>()
            let pair = try TimedPair(kind, transformer: TwoPartEnd(calls: calls))
            let connection = pair.connection
            let (late, count) = (Log<Never, SocketError>(), Box(0))
            try pair.loop.turns(2)
            pair.loop.execute {
                // The first buffer is written now. The second waits for the output of the end, which notifies its observer.
                connection.send("a")
                connection.send("b")
                    .subscribe(onTermination: { _ in
                        count.increment()
                        switch reaction {
                        case .send: connection.send("c").log(into: late)
                        case .finishSending: connection.finishSending()
                        case .close: connection.close()
                        }
                    })
                connection.finishSending()
            }
            let (bytes, end) = try pair.peer.receiveToEnd { isDone in try pair.loop.turns(until: isDone) }
            try pair.loop.turns(3)
            #expect(calls.values == ["a", "b", "finish"])
            #expect(bytes == Array("ab12".utf8) && end == .end)
            #expect(count.value == 1)
            #expect(late.code == (reaction == .send ? .closed : nil))
        }
    }
}
