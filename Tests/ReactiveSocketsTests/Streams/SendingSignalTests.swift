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
    @Suite struct SendingSignalTests {
        @Test("N8: an echo of 1 byte to 16 MB returns the same bytes, then the end of stream", arguments: LoopKind.all)
        func echo(_ kind: LoopKind) throws {
            let loop = try kind.make(thread: .owned)
            defer { loop.dispose() }
            let listener = try Listener(on: .loopback(port: 0), loop: loop)
            let ended = Latch(4)
            listener.connections.subscribe(
                onValue: { connection in
                    connection.send(from: connection.received).subscribe(onTermination: { termination in
                        #expect(termination == .completed)
                        ended.arrive()
                    })
                },
                onTermination: noFailure()
            )
            for size in [1, 1000, 65_537, 16_000_000] {
                let client = try RawPeer(to: listener.localAddress)
                let data = noise(size)
                let sender = TestThread {
                    #expect(client.sendAll(data))
                    client.finish()
                }
                let (bytes, end) = client.receiveAll()
                try sender.join()
                #expect(bytes == data && end == .end)
            }
            try ended.wait()
            listener.close()
        }

        @Test("N22: an echo through another loop returns the same bytes", arguments: LoopKind.pairs)
        func relay(_ kinds: (LoopKind, LoopKind)) throws {
            let loop = try kinds.0.make(thread: .owned)
            let other = try kinds.1.make(name: "other", thread: .owned)
            defer {
                loop.dispose()
                other.dispose()
            }
            let listener = try Listener(on: .loopback(port: 0), loop: loop)
            listener.connections.subscribe(
                onValue: { connection in
                    let relayed = connection.received.map { $0 }.observe(on: other, limit: 4).observe(
                        on: loop,
                        limit: 4
                    )
                    connection.send(from: relayed)
                },
                onTermination: noFailure()
            )
            let client = try RawPeer(to: listener.localAddress)
            let data = noise(4_000_000)
            let sender = TestThread {
                #expect(client.sendAll(data))
                client.finish()
            }
            let (bytes, end) = client.receiveAll()
            try sender.join()
            #expect(bytes == data && end == .end)
            listener.close()
        }

        @Test("A subject is a source, and its completion ends the stream", arguments: LoopKind.all)
        func subject(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let source = Subject<Bytes, Never>()
            let end = connection.send(from: source).log()
            source.send("one ")
            source.send("two")
            source.complete()
            let (bytes, clientEnd) = try server.receiveToEnd(at: client)
            #expect(bytes == Array("one two".utf8) && clientEnd == .end)
            try server.loop.turns { end.hasEnded }
            #expect(end.isCompleted)
        }

        @Test("Watermarks that were set outside their ranges are clamped", arguments: LoopKind.all)
        func invalidWatermarks(_ kind: LoopKind) throws {
            for (high, low) in [(0, -1), (-5, -5), (10, 10), (10, 20), (Int.max, Int.min), (Int.min, Int.max)] {
                var watermarks = Watermarks()
                watermarks.high = high
                watermarks.low = low
                let server = try TestServer(kind, watermarks: watermarks)
                let (client, connection) = try server.connect()
                let part = Bytes(noise(100_000))
                let end = connection.send(from: Signal<Bytes, Never>(values: Array(repeating: part, count: 40))).log()
                let (bytes, clientEnd) = try server.receiveToEnd(at: client)
                #expect(bytes.count == 4_000_000 && clientEnd == .end)
                try server.loop.turns { end.hasEnded }
                #expect(end.isCompleted && connection.isWritable.value)
                connection.abort()
            }
        }

        @Test("A failed source resets the connection", arguments: LoopKind.all)
        func failing(_ kind: LoopKind) throws {
            struct Trouble: Error {}
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let source = Subject<Bytes, Trouble>()
            let end = connection.send(from: source.signal).log()
            source.send("part")
            #expect(try server.receive(4, at: client) == Array("part".utf8))
            source.fail(Trouble())
            try server.loop.turns { end.hasEnded }
            #expect(end.code == .sourceFailed)
            #expect(try server.receiveToEnd(at: client).end == .failed(ECONNRESET))
            try server.expectNothingLeft(after: client)
        }

        @Test("A source on another loop is paused and resumed", arguments: LoopKind.pairs)
        func heldBack(_ kinds: (LoopKind, LoopKind)) throws {
            let server = try TestServer(kinds.0)
            let other = try kinds.1.make(name: "other", thread: .owned)
            defer { other.dispose() }
            let (client, connection) = try server.connect(receiveBuffer: 4096)
            let (made, chunk, count) = (Box(0), Bytes(noise(10_000)), 2_000)
            let source = Signal<Int, Never>(values: 0..<count).subscribe(on: other).map { _ in
                made.increment()
                return chunk
            }
            let end = connection.send(from: source).log()
            let core = connection.core.value
            try server.loop.turns { core.sending.level == .high }
            try other.sync()
            try server.loop.turns(10)
            let stalled = made.value
            try other.sync()
            #expect(made.value == stalled && stalled < count)
            #expect(core.sending.pendingCount <= core.watermarks.high + 2 * chunk.count)
            let all = try server.receiveToEnd(at: client)
            #expect(all.end == .end && all.bytes.count == count * chunk.count)
            #expect(all.bytes.suffix(chunk.count).elementsEqual(chunk))
            try server.loop.turns { end.hasEnded }
            #expect(end.isCompleted && made.value == count)
            connection.close()
            try server.expectNothingLeft(after: client)
        }

        @Test("Closing, or finishing sending, disposes the source", arguments: LoopKind.all, [false, true])
        func ending(_ kind: LoopKind, _ isFinish: Bool) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let source = Subject<Bytes, Never>()
            let isGone = Box(false)
            let signal = Signal<Bytes, Never> { emitter, subscription in
                source.subscribe(emitter, in: subscription)
                subscription.onDispose { isGone.value = true }
            }
            let end = connection.send(from: signal).log()
            try server.loop.turns(1)
            source.send("some")
            try server.loop.turns(1)
            if isFinish { connection.finishSending() } else { connection.close() }
            try server.loop.turns(1)
            source.send("never")
            try server.loop.turns { end.hasEnded }
            #expect(end.code == .closed && isGone.value)
            let all = try server.receiveToEnd(at: client)
            #expect(all.bytes == Array("some".utf8) && all.end == .end)
            let refused = connection.send(from: signal).log()
            try server.loop.turns { refused.hasEnded }
            #expect(refused.code == .closed)
            connection.close()
            try server.expectNothingLeft(after: client)
        }

        @Test("A short or empty source ends the stream when it completes", arguments: LoopKind.all)
        func short(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            for values in [[], ["one"], ["one", "two"]] as [[Bytes]] {
                let (client, connection) = try server.connect()
                let end = connection.send(from: Signal<Bytes, Never>(values: values)).log()
                let all = try server.receiveToEnd(at: client)
                #expect(all.bytes == values.flatMap { Array($0) } && all.end == .end)
                try server.loop.turns { end.hasEnded }
                #expect(end.isCompleted)
                connection.close()
                client.close()
            }
            try server.expectNothingLeft()
        }
    }
}
