// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct ReceivingEndTests {
        @Test("N13: a reset is delivered once to every observer", arguments: LoopKind.all)
        func reset(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect(receiveBuffer: 4096)
            let received = connection.received.log()
            let isWritable = connection.isWritable
            let large = connection.send(Bytes(noise(16_000_000))).log()
            let source = Subject<Bytes, Never>()
            let sending = connection.send(from: source.signal).log()
            try server.loop.turns(5)
            #expect(!large.hasEnded && !isWritable.value)
            client.reset()
            try server.loop.turns { received.hasEnded }
            try server.loop.turns(3)
            #expect(received.code == .reset && large.code == .reset && sending.code == .reset)
            #expect(isWritable.value)
            let later = connection.send("late").log()
            let again = connection.received.log()
            try server.loop.turns { later.hasEnded && again.hasEnded }
            #expect(later.code == .reset && again.code == .reset)
            connection.abort()
            connection.close()
            try server.expectNothingLeft()
        }

        @Test("N13: a reset is delivered to a paused receiver that also sends", arguments: LoopKind.all)
        func resetWhilePaused(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect(receiveBuffer: 4096)
            let echo = connection.send(from: connection.received).log()
            let data = [UInt8](repeating: 1, count: 65536)
            try server.loop.turns {
                client.send(data)
                return connection.core.value.sending.level == .high
            }
            client.reset()
            try server.loop.turns { echo.hasEnded }
            #expect(echo.code == .reset)
            try server.expectNothingLeft()
        }

        @Test(
            "N15: a callback of a chunk or the termination can close, abort or finish sending",
            arguments: LoopKind.all,
            0..<4
        )
        func closingInside(_ kind: LoopKind, _ way: Int) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let (count, ends) = (Box(0), Box(0))
            @Sendable func act() {
                switch way {
                case 0: connection.close()
                case 1: connection.abort()
                case 2: connection.finishSending()
                default:
                    connection.close()
                    connection.abort()
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
            client.send("some".utf8)
            try server.loop.turns { count.value == 1 }
            if way == 2 {
                client.send("more".utf8)
                client.finish()
                try server.loop.turns { ends.value == 1 }
                #expect(count.value == 2)
            } else {
                try server.loop.turns { ends.value == 1 }
                let end = try server.receiveToEnd(at: client).end
                // If sending was finished before, the peer sees the end of stream before the reset.
                #expect(end == (way == 1 ? .failed(ECONNRESET) : .end))
                #expect(count.value == 1)
            }
            try server.expectNothingLeft(after: client)
        }
    }
}
