// SPDX-License-Identifier: MIT
import Glibc
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

/// Reads even during a pause, until the first byte, which ends the peer's stream.
private struct EndingAfter: ConnectionTransformer {
    private(set) var needsInput = true

    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) {
        out.endApplicationStream()
        needsInput = false
    }

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) { out.toPeer(bytes) }
}

extension Sockets {
    /// Peers that end their stream: connections without a receiver, and the limit of time after the end.
    @Suite struct HalfClosedTests {
        private let limit = ConnectionTimeouts(halfClosed: .seconds(40))

        // MARK: Both streams have ended

        enum First: CaseIterable { case peer, thisSide }

        @Test(
            "A connection without a receiver is closed when both sides have ended their streams",
            arguments: LoopKind.all,
            First.allCases
        )
        func bothEnded(_ kind: LoopKind, _ first: First) throws {
            try endBoth(first, try TestServer(kind))
            try endBoth(first, try TestServer(kind, transformer: { Unchanged() }))
        }

        private func endBoth(_ first: First, _ server: TestServer) throws {
            let (client, connection) = try server.connect()
            let ended = connection.ended.log()
            if first == .peer {
                client.finish()
                try server.loop.turns(5)
                #expect(!ended.hasEnded)
            }
            connection.send(from: Signal<Bytes, Never>(just: "hello"))
            let all = try server.receiveToEnd(at: client)
            #expect(all.bytes == Array("hello".utf8) && all.end == .end)
            if first == .thisSide {
                #expect(!ended.hasEnded)
                client.finish()
            }
            try server.loop.turns { ended.hasEnded }
            #expect(ended.isCompleted)
            // A later receiver gets the end of the stream.
            let received = connection.received.log()
            try server.loop.turns { received.hasEnded }
            #expect(received.isCompleted)
            try server.expectNothingLeft(after: client)
        }

        @Test("Of fifty clients of a listener that never receives, none leaves a socket", arguments: LoopKind.all)
        func manyClients(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (kept, ended) = (Recorder<Connection>(), Box(0))
            let subscription = server.listener.connections.subscribe(
                onValue: { connection in
                    kept.append(connection)
                    connection.ended.subscribe(onTermination: { _ in ended.increment() })
                    connection.send(from: Signal<Bytes, Never>(just: "x"))
                },
                onTermination: noFailure()
            )
            let clients = try (0..<50).map { _ in try RawPeer(to: server.listener.localAddress) }
            try server.loop.turns { kept.count == 50 }
            for client in clients {
                #expect(try server.receiveToEnd(at: client).bytes == Array("x".utf8))
                client.close()
            }
            try server.loop.turns { ended.value == 50 }
            subscription.dispose()
            try server.expectNothingLeft()
        }

        @Test(
            "A connection that only looks for the end of the stream is closed with its last reference",
            arguments: LoopKind.all,
            [false, true]
        )
        func released(_ kind: LoopKind, _ elsewhere: Bool) throws {
            let server = try TestServer(kind)
            let client = try RawPeer(to: server.listener.localAddress)
            let held = Box<Connection?>(nil)
            let subscription = server.listener.connections.subscribe(
                onValue: { connection in
                    connection.setTimeouts(ConnectionTimeouts())
                    held.value = connection
                },
                onTermination: noFailure()
            )
            try server.loop.turns { held.value?.core.value.watchKind == .weak }
            if elsewhere { try TestThread { held.value = nil }.join() } else { held.value = nil }
            #expect(try server.receiveToEnd(at: client).end == .end)
            subscription.dispose()
            try server.expectNothingLeft(after: client)
        }

        @Test("A receiver that subscribes late keeps the connection alive", arguments: LoopKind.all)
        func lateReceiver(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, received) = try { () -> (RawPeer, Log<Bytes, SocketError>) in
                let (client, connection) = try server.connect()
                connection.setTimeouts(ConnectionTimeouts())
                try server.loop.turns { connection.core.value.watchKind == .weak }
                return (client, connection.received.log())
            }()
            try server.loop.turns(3)
            client.send("late".utf8)
            try server.loop.turns { received.bytes.count == 4 }
            client.finish()
            try server.loop.turns { received.hasEnded }
            #expect(received.isCompleted)
            try server.expectNothingLeft(after: client)
        }

        @Test("Disposing the loop closes a connection that only looks for the end", arguments: LoopKind.all)
        func disposedLoop(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            connection.setTimeouts(ConnectionTimeouts())
            try server.loop.turns { connection.core.value.watchKind == .weak }
            server.loop.dispose()
            #expect(!connection.core.value.isOpen)
            client.close()
        }

        // MARK: The limit

        @Test(
            "N27: after the peer's end of stream a connection lives for 60 seconds by default, or as long as bytes move",
            arguments: LoopKind.all,
            [false, true]
        )
        func byDefault(_ kind: LoopKind, _ setsIdle: Bool) throws {
            let pair = try TimedPair(kind)
            let received = pair.connection.received.log()
            if setsIdle { pair.connection.setTimeouts(ConnectionTimeouts(idle: .seconds(1000))) }
            try pair.pass(100)
            pair.peer.finish()
            try pair.pass(200) { pair.connection.send([1]) }
            #expect(pair.isOpen && received.isCompleted)
            try pair.expectTimeOut(after: 60, saying: "the peer has ended its stream, and no byte has moved for 60")
        }

        @Test("N27: without a limit a half-closed connection stays", arguments: LoopKind.all)
        func withoutLimit(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind)
            let received = pair.connection.received.log()
            pair.peer.finish()
            try pair.loop.turns { received.hasEnded }
            pair.connection.setTimeouts(ConnectionTimeouts(halfClosed: nil))
            try pair.pass(400)
            #expect(pair.isOpen)
            // A later limit counts from its call.
            pair.connection.setTimeouts(limit)
            try pair.expectTimeOut(after: 40, saying: "no byte has moved for 40")
        }

        @Test("N27: bytes that a half-closed peer acknowledges are movement", arguments: LoopKind.all)
        func acknowledged(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind)
            let received = pair.connection.received.log()
            pair.connection.setTimeouts(limit)
            try pair.fill()
            pair.connection.send(Bytes(noise(8_000_000)))
            pair.peer.finish()
            try pair.loop.turns { received.hasEnded }
            try pair.pass(200) { _ = pair.peer.receive() }
            #expect(pair.isOpen)
            try pair.expectTimeOut(after: 40, saying: "no byte has moved for 40")
        }

        enum Neglect: CaseIterable { case noReceiver, observedEnd, pausedAnswer, disposed }

        @Test(
            "N27: an end is noticed without a receiver, and while an answer is paused, also behind unread bytes",
            arguments: LoopKind.all,
            Neglect.allCases
        )
        func neglected(_ kind: LoopKind, _ neglect: Neglect) throws {
            for (unread, isTransformed) in [(0, false), (1, false), (3000, false), (0, true), (1, true)] {
                let pair = try TimedPair(kind, transformer: isTransformed ? Unchanged() : nil)
                pair.connection.setTimeouts(limit)
                var pause: (any Disposable)?
                switch neglect {
                case .noReceiver: break
                case .observedEnd: _ = pair.connection.endOfStream.log()
                case .pausedAnswer:
                    pair.connection.send(from: pair.connection.received)
                    try pair.loop.turns(2)
                    pause = pair.connection.core.value.firstSend?.pause()
                case .disposed: pair.connection.received.log().subscription.dispose()
                }
                try pair.pass(100) { pair.connection.send([1]) }
                pair.peer.send([UInt8](repeating: 7, count: unread))
                // A limit for an end that has not come does not count.
                try pair.pass(100)
                #expect(pair.isOpen)
                pair.peer.finish()
                let situation = "\(neglect), \(unread) bytes, transformed \(isTransformed)"
                try pair.expectTimeOut(after: 40, saying: "no byte has moved for 40", noticedWithin: 10, in: situation)
                pause?.dispose()
            }
        }

        @Test("N27: a third party's loop notices an end of stream, also behind unread bytes", arguments: LoopKind.all)
        func forwarded(_ kind: LoopKind) throws {
            for unread in [0, 1] {
                let pair = try TimedPair(kind, isForwarded: true)
                // Otherwise the connection would not be in use.
                _ = pair.connection.ended.log()
                pair.peer.send([UInt8](repeating: 7, count: unread))
                try pair.pass(100)
                pair.peer.finish()
                try pair.expectTimeOut(after: 60, saying: "no byte has moved for 60", noticedWithin: 15)
            }
            // Both streams have ended.
            let other = try TimedPair(kind, isForwarded: true)
            let completed = other.connection.ended.log()
            other.connection.send(from: Signal<Bytes, Never>(just: "x"))
            other.peer.finish()
            try other.loop.turns { completed.hasEnded }
            #expect(completed.isCompleted)
        }

        @Test("N27: the limit and both ends are noticed if the loop refuses the watch", arguments: LoopKind.all)
        func refusedWatch(_ kind: LoopKind) throws {
            for unread in [0, 1] {
                let pair = try TimedPair(kind, refusesWatches: true)
                pair.connection.setTimeouts(limit)
                pair.peer.send([UInt8](repeating: 7, count: unread))
                try pair.pass(100)
                pair.peer.finish()
                let situation = "\(unread) bytes"
                try pair.expectTimeOut(after: 40, saying: "no byte has moved for 40", noticedWithin: 10, in: situation)
            }
            let other = try TimedPair(kind, refusesWatches: true)
            let completed = other.connection.ended.log()
            other.connection.send(from: Signal<Bytes, Never>(just: "x"))
            other.peer.finish()
            try other.pass(20)
            #expect(completed.isCompleted)
        }

        @Test("N27: a peer that only receives `send(_:)`, and leaves, is noticed", arguments: LoopKind.all)
        func onlySent(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind)
            pair.connection.send("hello")
            try pair.loop.turns(2)
            pair.peer.finish()
            try pair.expectTimeOut(after: 60, saying: "no byte has moved for 60", noticedWithin: 5)
        }

        @Test(
            "A paused receiver that is disposed does not keep a connection whose streams have both ended",
            arguments: LoopKind.all
        )
        func disposedBeforeEnd(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind, transformer: EndingAfter())
            let ended = pair.connection.ended.log()
            let received = pair.connection.received.log()
            try pair.loop.turns(2)
            let pause = received.subscription.pause()
            pair.peer.send([0])
            try pair.loop.turns { pair.connection.core.value.receiving.stream == .endHeld }
            pair.connection.finishSending()
            try pair.loop.turns(2)
            #expect(!ended.hasEnded)
            received.subscription.dispose()
            try pair.loop.turns { ended.hasEnded }
            #expect(ended.isCompleted)
            pause.dispose()
        }

        @Test("N27: a receiver that resumes gets all bytes, and the limit starts over", arguments: LoopKind.all)
        func resumed(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind)
            pair.connection.setTimeouts(limit)
            let received = pair.connection.received.log()
            let pause = received.subscription.pause()
            pair.peer.send([1, 2, 3])
            pair.peer.finish()
            try pair.pass(35)
            pause.dispose()
            try pair.loop.turns { received.hasEnded }
            #expect(received.bytes == [1, 2, 3] && received.isCompleted)
            try pair.expectTimeOut(after: 40, saying: "no byte has moved for 40")
        }

        @Test(
            "N27: the limit does not count while this side pauses a receiver of the peer's bytes",
            arguments: LoopKind.all,
            [false, true]
        )
        func delayed(_ kind: LoopKind, _ isTransformed: Bool) throws {
            for unread in [0, 1, 3000] {
                let pair = try TimedPair(kind, transformer: isTransformed ? Unchanged() : nil)
                pair.connection.setTimeouts(limit)
                // The pause has another reason than this source.
                pair.connection.send(from: Signal<Bytes, SocketError>.never)
                let received = pair.connection.received.log()
                let pause = received.subscription.pause()
                let data = noise(unread)
                pair.peer.send(data)
                pair.peer.finish()
                try pair.pass(200)
                #expect(pair.isOpen, "\(unread) bytes")
                pause.dispose()
                try pair.loop.turns { received.hasEnded }
                #expect(received.bytes == data && received.isCompleted)
                try pair.expectTimeOut(after: 40, saying: "no byte has moved for 40")
            }
        }

        @Test("N27: a pause does not protect a peer that has left bytes unread", arguments: LoopKind.all)
        func delayedAndFull(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind)
            pair.connection.setTimeouts(limit)
            let pause = pair.connection.received.log().subscription.pause()
            try pair.fill()
            pair.peer.send([1])
            pair.peer.finish()
            try pair.expectTimeOut(after: 40, saying: "no byte has moved for 40", noticedWithin: 10)
            pause.dispose()
        }

        @Test(
            "N27: a pipe loses no byte of a peer that has left while the other one reads slowly",
            arguments: LoopKind.all,
            [10_000_000, 1]
        )
        func slowlyPiped(_ kind: LoopKind, _ high: Int) throws {
            let (left, right) = (try TimedPair(kind), SocketPair())
            defer { right.close() }
            let reader = RawPeer(fcntl(right.far, F_DUPFD_CLOEXEC, 0))
            let other = try Connection(
                adopting: fcntl(right.near, F_DUPFD_CLOEXEC, 0),
                loop: left.loop,
                watermarks: Watermarks(high: high, low: 0)
            )
            right.closeNear()
            var expected: [UInt8] = []
            while !other.core.value.sending.isBlocked {
                let more = noise(100_000)
                other.send(Bytes(more))
                expected += more
                try left.loop.turns(2)
            }
            let end = Connection.pipe(left.connection, other).log()
            let data = noise(3000, seed: 2)
            left.peer.send(data)
            left.peer.finish()
            var all: [UInt8] = []
            // Slower than the limit: the reader needs 100 seconds for the bytes that were waiting before.
            try left.pass(100) {
                if case .bytes(let bytes) = reader.receive(expected.count / 20) { all += bytes }
            }
            #expect(left.isOpen && !end.hasEnded)
            try left.loop.turns {
                if case .bytes(let bytes) = reader.receive() { all += bytes }
                return all.count >= expected.count + data.count
            }
            let isWhole = all == expected + data
            #expect(isWhole)
            reader.finish()
            try left.loop.turns { end.hasEnded }
            #expect(end.isCompleted)
            reader.close()
        }

        @Test("N27: a pipe ends after one peer has ended its stream and the other is silent", arguments: LoopKind.all)
        func piped(_ kind: LoopKind) throws {
            let (left, right) = (try TimedPair(kind), SocketPair())
            defer { right.close() }
            let other = try Connection(adopting: fcntl(right.near, F_DUPFD_CLOEXEC, 0), loop: left.loop)
            right.closeNear()
            let end = Connection.pipe(left.connection, other).log()
            left.peer.send([1])
            left.peer.finish()
            try left.pass(55)
            #expect(!end.hasEnded)
            try left.pass(30)
            #expect(end.code == .timedOut && !left.isOpen && !other.core.value.isOpen)
        }

        @Test("A connection that receives has no timer before the end of the stream", arguments: LoopKind.all)
        func nothingBefore(_ kind: LoopKind) throws {
            let pair = try TimedPair(kind)
            pair.connection.send(from: pair.connection.received)
            pair.peer.send([1])
            try pair.loop.turns { pair.connection.core.value.receivedTotal == 1 }
            try pair.loop.turns(3)
            #expect(pair.connection.core.value.extras == nil)
            #expect(pair.connection.core.value.watchKind == .retaining)
        }
    }
}
