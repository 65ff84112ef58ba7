// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    /// The events that count as movement after a peer's end of stream, and the connections that have the limit.
    @Suite struct MovementTests {
        @Test(
            "N27: bytes that a peer acknowledges are movement, although none waits to be sent",
            arguments: LoopKind.all
        )
        func onlyAcknowledged(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind)
            pair.connection.setTimeouts(ConnectionTimeouts(halfClosed: .seconds(40)))
            // Each send is a buffer of its own in the socket, so that each read acknowledges one.
            for _ in 0..<40 {
                pair.connection.send([1])
                try pair.loop.turns(2)
            }
            #expect(!pair.connection.core.value.sending.isBlocked)
            pair.peer.finish()
            try pair.pass(200) { _ = pair.peer.receive(1) }
            #expect(pair.isOpen)
            try pair.expectTimeOut(after: 40, saying: "no byte has moved for 40")
        }

        @Test(
            "N27: a pipe between two loops ends after the last movement of either connection",
            arguments: LoopKind.pairs
        )
        func pipedAcross(_ first: LoopKind, _ second: LoopKind) throws {
            let (left, right) = (try TimedPair(first), try TimedPair(second))
            let end = Connection.pipe(left.connection, right.connection).log()
            left.peer.send([1])
            left.peer.finish()
            for step in 1...22 {
                // Bytes move on the other connection for 85 seconds.
                if step < 18 { right.peer.send([2]) }
                try right.pass(5)
                try left.pass(5)
                _ = left.peer.receive()
            }
            #expect(left.isOpen && right.isOpen && !end.hasEnded)
            for _ in 0..<20 {
                try left.pass(5)
                try right.pass(5)
            }
            #expect(end.code == .timedOut && !left.isOpen && !right.isOpen)
        }

        @Test("N27: a pause behind `share` delays the peer of a connection that sends nothing", arguments: LoopKind.all)
        func shared(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind)
            pair.connection.setTimeouts(ConnectionTimeouts(halfClosed: .seconds(40)))
            let lines = pair.connection.received.share()
            let (first, second) = (lines.log(), lines.log())
            let pause = second.subscription.pause()
            pair.peer.send([1, 2, 3])
            pair.peer.finish()
            try pair.pass(200)
            #expect(pair.isOpen)
            pause.dispose()
            try pair.loop.turns { first.hasEnded && second.hasEnded }
            #expect(first.bytes == [1, 2, 3] && second.bytes == [1, 2, 3])
            try pair.expectTimeOut(after: 40, saying: "no byte has moved for 40")
        }

        @Test("N27: an outgoing connection has the limit too", arguments: LoopKind.all)
        func outgoing(_ kind: LoopKind) throws {
            let clock = ManualClock()
            let server = try TestServer(kind, clock: clock)
            let accepted = Box<Connection?>(nil)
            let subscription = server.listener.connections.subscribe(
                onValue: { accepted.value = $0 },
                onTermination: noFailure()
            )
            let log = Connection.connect(to: server.listener.localAddress, loop: server.loop).log()
            try server.loop.turns { accepted.value != nil && log.hasEnded }
            let connection = try #require(log.values.first)
            let (received, ended) = (connection.received.log(), connection.ended.log())
            accepted.value?.finishSending()
            try server.loop.turns { received.hasEnded }
            for step in 1...16 {
                clock.advance(by: .seconds(5))
                try server.loop.turns(2)
                if step == 10 { #expect(!ended.hasEnded) }
            }
            #expect(ended.code == .timedOut)
            accepted.value?.abort()
            accepted.value = nil
            subscription.dispose()
            try server.expectNothingLeft()
        }
    }
}
