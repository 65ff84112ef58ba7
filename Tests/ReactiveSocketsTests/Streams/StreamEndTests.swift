// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

@testable import ReactiveSockets

extension Sockets {
    @Suite struct StreamEndTests {
        @Test("N26: a peer's end or reset is reported without a receiver", arguments: LoopKind.all, [false, true])
        func withoutReceiver(_ kind: LoopKind, _ isReset: Bool) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let (first, second) = (connection.endOfStream.log(), connection.endOfStream.log())
            let ended = connection.ended.log()
            try server.loop.turns(5)
            #expect(!first.hasEnded)
            if isReset { client.reset() } else { client.finish() }
            try server.loop.turns { first.hasEnded && second.hasEnded }
            // A later receiver still gets the termination, and later observers too.
            let again = connection.endOfStream.log()
            let received = connection.received.log()
            try server.loop.turns { again.hasEnded && received.hasEnded }
            #expect(received.code == (isReset ? .reset : nil) && received.isCompleted == !isReset)
            #expect(ended.hasEnded == isReset && first.ends.count == 1)
            connection.abort()
            try server.expectNothingLeft(after: client)
        }

        @Test(
            "N26: endOfStream consumes no byte, does not spin on unread bytes, and waits behind them",
            arguments: LoopKind.all
        )
        func behindBytes(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let end = connection.endOfStream.log()
            try server.loop.turns(2)
            client.send("some".utf8)
            client.finish()
            try server.loop.turns(10)
            #expect(!end.hasEnded)
            // The unread bytes do not keep the loop busy.
            let turns = Recorder<UInt64>()
            let loop = server.loop
            loop.execute { turns.append(loop.turn) }
            loop.schedule(after: .milliseconds(100)) {
                turns.append(loop.turn)
                loop.stop()
            }
            try TestThread { try loop.run() }.join("the timer")
            #expect(turns.values[1] - turns.values[0] < 10)
            let received = connection.received.take(1).log()
            try loop.turns { received.hasEnded }
            #expect(received.bytes == Array("some".utf8))
            try loop.turns { end.hasEnded }
            connection.abort()
            try server.expectNothingLeft(after: client)
        }

        @Test(
            "N26: endOfStream completes with a receiver's termination and with any end of the connection",
            arguments: LoopKind.all,
            0..<4
        )
        func withReceiver(_ kind: LoopKind, _ way: Int) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let end = connection.endOfStream.log()
            let received = connection.received.log()
            client.send("some".utf8)
            try server.loop.turns { received.bytes.count == 4 }
            #expect(!end.hasEnded)
            switch way {
            case 0: client.finish()
            case 1: client.reset()
            case 2: connection.close()
            default: connection.abort()
            }
            try server.loop.turns { end.hasEnded && received.hasEnded }
            let late = connection.endOfStream.log()
            try server.loop.turns { late.hasEnded }
            connection.abort()
            try server.expectNothingLeft(after: client)
        }

        @Test(
            "N26: a peer's end and its reset are reported while the receiver is paused",
            arguments: LoopKind.all,
            [false, true]
        )
        func whilePaused(_ kind: LoopKind, _ isReset: Bool) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let received = connection.received.log()
            client.send("read".utf8)
            try server.loop.turns { received.bytes.count == 4 }
            var hold = received.subscription.pause()
            let early = connection.endOfStream.log()
            client.send("unread".utf8)
            try server.loop.turns { connection.core.value.receiving.stream == .unread }
            hold.dispose()
            try server.loop.turns { received.bytes.count == 10 }
            // All bytes are read and the receiver is paused again, so no byte hides the end any more.
            hold = received.subscription.pause()
            try server.loop.turns(5)
            #expect(!early.hasEnded)
            if isReset { client.reset() } else { client.finish() }
            try server.loop.turns { early.hasEnded }
            #expect(received.hasEnded == isReset)
            hold.dispose()
            try server.loop.turns { received.hasEnded }
            #expect(received.code == (isReset ? .reset : nil) && received.isCompleted == !isReset)
            connection.abort()
            try server.expectNothingLeft(after: client)
        }

        @Test(
            "N26: an observer of endOfStream keeps the connection alive, and is released with its disposal",
            arguments: LoopKind.all
        )
        func lifetime(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, core, end) = try { () -> (RawPeer, Weak<ConnectionCore>, Log<Never, Never>) in
                let (client, connection) = try server.connect()
                return (client, Weak(connection.core.value), connection.endOfStream.log())
            }()
            try server.loop.turns(5)
            #expect(core.object?.isOpen == true)
            end.subscription.dispose()
            try server.loop.turns { core.object == nil }
            #expect(try server.receiveToEnd(at: client).end == .end)
            try server.expectNothingLeft(after: client)
        }

        @Test(
            "N26: fifty peers that disconnect while their service connects leave nothing behind",
            arguments: LoopKind.pairs
        )
        func leaving(_ first: LoopKind, _ second: LoopKind) throws {
            let silent = SilentPeer()
            defer { silent.close() }
            let own = ownLoopback()
            let settings = ConnectSettings(localAddress: own)
            let other = try second.make(name: "target", thread: .owned)
            let loops = try LoopGroup(count: 1) { _ throws(LoopError) in try first.make(thread: .owned) }
            let target = silent.address
            let server = try Server(on: ownLoopback(), loops: loops) { peer in
                Connection.connect(to: target, loop: other, settings: settings)
                    .take(until: peer.endOfStream)
                    .flatMap { Connection.pipe(peer, $0) }
            }
            let clients = try (0..<50).map { _ in try RawPeer(to: server.localAddress) }
            try waitUntil("fifty attempts") { OpenSockets.connecting(from: own) == 50 }
            for (number, client) in clients.enumerated() {
                if number.isMultiple(of: 2) { client.close() } else { client.reset() }
            }
            try waitUntil("the end of the attempts") { OpenSockets.connecting(from: own) == 0 }
            try waitUntil("the end of the connections") { server.totals.ended == 50 }
            try stop(server)
            other.dispose()
        }
    }
}
