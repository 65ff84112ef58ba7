// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct ClosingTests {
        /// More than the buffers of the kernel on both sides hold.
        private static let much = 16_000_000

        @Test(
            "N24: a peer that never reads is reset two seconds after the close, and all observers are notified",
            arguments: LoopKind.all
        )
        func neverReads(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect(receiveBuffer: 4096)
            let sent = connection.send(Bytes(noise(Self.much))).log()
            let ended = connection.ended.log()
            let received = connection.received.log()
            try server.loop.turns(3)
            let start = server.loop.now
            connection.close()
            try server.loop.turns { ended.hasEnded }
            #expect(server.loop.now - start >= .seconds(2))
            #expect(ended.code == .timedOut && sent.code == .timedOut && received.code == .closed)
            guard let error = ended.failure else { return }
            #expect(error.message.contains("2.0 seconds") && error.message.contains("were not sent"))
            guard case .failed = try server.receiveToEnd(at: client).end else {
                Issue.record("the peer's stream ended in order")
                return
            }
            try server.expectNothingLeft(after: client)
        }

        @Test("N24: a peer that reads a little every second receives everything", arguments: LoopKind.all)
        func slow(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect(receiveBuffer: 4096)
            let data = noise(Self.much)
            connection.send(Bytes(data))
            try server.loop.turns(3)
            let ended = connection.ended.log()
            connection.close()
            // For four seconds the peer reads now and then, and is never idle for two.
            let start = server.loop.now
            var all: [UInt8] = []
            while server.loop.now - start < .seconds(4) {
                let next = server.loop.now + .milliseconds(700)
                try server.loop.turns { server.loop.now > next }
                for _ in 0..<20 { if case .bytes(let bytes) = client.receive() { all += bytes } }
                try #require(!ended.hasEnded)
            }
            let rest = try server.receiveToEnd(at: client)
            #expect(all + rest.bytes == data && rest.end == .end)
            client.finish()
            try server.loop.turns { ended.hasEnded }
            #expect(ended.isCompleted)
            try server.expectNothingLeft(after: client)
        }

        @Test(
            "N24: a limit bounds the close, however slowly the peer reads, and the earliest limit applies",
            arguments: LoopKind.all
        )
        func limited(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect(receiveBuffer: 4096)
            connection.send(Bytes(noise(Self.much)))
            try server.loop.turns(3)
            let ended = connection.ended.log()
            let start = server.loop.now
            connection.close(within: .seconds(3600))
            connection.close()
            connection.close(within: .milliseconds(100))
            connection.close(within: .seconds(60))
            try server.loop.turns {
                // The peer reads a little all the time.
                _ = client.receive(100)
                return ended.hasEnded
            }
            #expect(server.loop.now - start >= .milliseconds(100) && ended.code == .timedOut)
            try server.expectNothingLeft(after: client)
        }

        @Test(
            "N24: if the peer resets during a close, early and late observers of a send receive the reset",
            arguments: LoopKind.all
        )
        func resetDuringClose(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect(receiveBuffer: 4096)
            let result = connection.send(Bytes(noise(Self.much)))
            let early = result.log()
            try server.loop.turns(3)
            let ended = connection.ended.log()
            connection.close()
            try server.loop.turns(3)
            try #require(!ended.hasEnded && !early.hasEnded)
            client.reset()
            try server.loop.turns { ended.hasEnded }
            let late = result.log()
            let refused = connection.send("refused").log()
            try server.loop.turns { late.hasEnded && refused.hasEnded }
            #expect(ended.code == .reset && early.ends == ended.ends && late.ends == ended.ends)
            #expect(refused.code == .closed)
            try server.expectNothingLeft(after: client)
        }

        @Test("N24: a limit is not a failure if everything has been sent", arguments: LoopKind.all)
        func limitedInOrder(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let sent = connection.send("all").log()
            let ended = connection.ended.log()
            connection.close(within: .zero)
            try server.loop.turns { ended.hasEnded }
            #expect(ended.isCompleted && sent.isCompleted)
            let all = try server.receiveToEnd(at: client)
            #expect(all.bytes == Array("all".utf8) && all.end == .end)
            try server.expectNothingLeft(after: client)
        }
    }
}
