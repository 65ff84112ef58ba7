// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSupport
import SchedulerConformance
import SchedulerEngine
import Testing

@testable import ReactiveSockets

@Suite struct FramedSignalTests {
    @Test("Law 11: a pause inside a chunk delays the chunk's other frames and pauses the source")
    func pause() {
        let sent = Box(0)
        let chunks = Signal<Bytes, SocketError>(values: ["a\nb\nc\n", "d\ne"])
            .handleEvents(onValue: { _ in sent.increment() })
        let log = Log<Bytes, SocketError>()
        let hold = Box<(any Disposable)?>(nil)
        chunks.framed(by: .newline, limit: 10).subscribe(
            in: log.subscription,
            onValue: { frame in
                log.take(frame)
                if log.values.count == 2 { hold.value = log.subscription.pause() }
            },
            onTermination: { log.take(end: $0) }
        )
        #expect(log.values == ["a", "b"] && sent.value == 1 && !log.hasEnded)
        hold.value?.dispose()
        #expect(log.values == ["a", "b", "c", "d", "e"] && log.isCompleted)
    }

    @Test("Law 11: pausing and resuming inside each frame neither recurses nor loses a frame")
    func pulses() {
        let lines = Bytes(String(repeating: "x\n", count: 10_000))
        let (count, deepest, depth) = (Box(0), Box(0), Box(0))
        let subscription = SignalSubscription()
        let ends = Box(0)
        Signal<Bytes, SocketError>(values: [lines, lines]).framed(by: .newline, limit: 10).subscribe(
            in: subscription,
            onValue: { _ in
                deepest.value = max(deepest.value, depth.increment())
                count.increment()
                subscription.pause().dispose()
                depth.value -= 1
            },
            onTermination: { _ in ends.increment() }
        )
        #expect(count.value == 20_000 && deepest.value == 1 && ends.value == 1)
    }

    @Test("A termination waits behind paused frames", arguments: [nil, SocketError(.reset, "gone")])
    func endWaits(_ failure: SocketError?) {
        let chunks = Subject<Bytes, SocketError>()
        let log = Log<Bytes, SocketError>()
        let hold = Box<(any Disposable)?>(nil)
        chunks.signal.framed(by: .newline, limit: 10).subscribe(
            in: log.subscription,
            onValue: { frame in
                log.take(frame)
                if hold.value == nil { hold.value = log.subscription.pause() }
            },
            onTermination: { log.take(end: $0) }
        )
        chunks.send("a\nb\nc")
        if let failure { chunks.fail(failure) } else { chunks.complete() }
        #expect(log.values == ["a"] && !log.hasEnded)
        hold.value?.dispose()
        #expect(log.values == (failure == nil ? ["a", "b", "c"] : ["a", "b"]))
        #expect(log.ends == [failure.map { .failed($0) } ?? .completed])
    }

    @Test("Law 6: a frame that is too long disposes the source before the observer is notified")
    func failure() {
        let isDisposed = Box(false)
        let source = Signal<Bytes, SocketError> { emitter, subscription in
            subscription.onDispose { isDisposed.value = true }
            emitter.send("good\n")
            emitter.send("much too long\n")
            emitter.send("never\n")
        }
        let wasDisposed = Box(false)
        let log = Log<Bytes, SocketError>()
        source.framed(by: .newline, limit: 5).subscribe(
            in: log.subscription,
            onValue: { log.take($0) },
            onTermination: { end in
                wasDisposed.value = isDisposed.value
                log.take(end: end)
            }
        )
        #expect(log.values == ["good"] && log.code == .frameTooLong && wasDisposed.value)
    }

    @Test("Law 1: after a disposal inside a frame, no further frame is cut")
    func disposed() {
        let calls = Box(0)
        let framing = Framing { (_: Bytes) throws(SocketError) in
            calls.increment()
            return .frame(header: 0, payload: 1)
        }
        let log = Log<Bytes, SocketError>()
        Signal<Bytes, SocketError>(values: ["abc", "def"]).framed(by: framing, limit: 1).subscribe(
            in: log.subscription,
            onValue: { frame in
                log.take(frame)
                log.subscription.dispose()
            },
            onTermination: { log.take(end: $0) }
        )
        #expect(log.values == ["a"] && calls.value == 1 && !log.hasEnded)
    }

    @Test("Law 4: chunks sent from inside a frame follow the current chunk")
    func nested() {
        let chunks = Subject<Bytes, SocketError>()
        let log = Log<Bytes, SocketError>()
        chunks.signal.framed(by: .newline, limit: 10).subscribe(
            in: log.subscription,
            onValue: { frame in
                log.take(frame)
                if frame == "a" { chunks.send("c\nd\n") }
            },
            onTermination: { log.take(end: $0) }
        )
        chunks.send("a\nb\n")
        #expect(log.values == ["a", "b", "c", "d"])
    }

    @Test("Laws 2 and 7: after a resume on another thread, paused frames arrive on the loop", arguments: LoopKind.all)
    func resumedElsewhere(_ kind: LoopKind) throws {
        let loop = try kind.make(thread: .owned)
        defer { loop.dispose() }
        let rounds = 200
        let (count, elsewhere, ended) = (Box(0), Box(0), Latch())
        let holds = Recorder<any Disposable>()
        let subscription = SignalSubscription()
        let lines = Bytes(String(repeating: "x\n", count: 11))
        // Chunks arrive on the loop, like those of a connection. A plain sequence would resume on the calling thread.
        let source = Signal<Bytes, SocketError>(values: Array(repeating: lines, count: rounds)).observe(on: loop)
        loop.execute {
            source.framed(by: .newline, limit: 10).subscribe(
                in: subscription,
                onValue: { _ in
                    if !loop.isCurrent { elsewhere.increment() }
                    // Pauses always inside a chunk.
                    if count.increment() % 11 == 5 { holds.append(subscription.pause()) }
                },
                onTermination: { _ in ended.arrive() }
            )
        }
        var given = 0
        let limit = ContinuousClock.now + .seconds(Latch.limit)
        while !ended.isOpen, ContinuousClock.now < limit {
            let all = holds.values
            for hold in all[given...] { hold.dispose() }
            given = all.count
        }
        try ended.wait()
        #expect(count.value == 11 * rounds && elsewhere.value == 0)
    }

    @Test("Each subscription has its own state, which is released with it")
    func perSubscription() {
        let chunks = Subject<Bytes, SocketError>()
        let frames = chunks.signal.framed(by: .newline, limit: 10)
        let first = frames.log()
        chunks.send("a\nb")
        let second = frames.log()
        chunks.send("c\n")
        #expect(first.values == ["a", "bc"] && second.values == ["c"])
        weak let subscription = first.subscription
        #expect(subscription != nil)
        first.subscription.dispose()
        chunks.send("d\n")
        #expect(first.values.count == 2 && second.values == ["c", "d"])
    }

    @Test("A subscription disposed or released with paused frames leaves nothing behind", arguments: [true, false])
    func released(_ isDisposed: Bool) {
        let gone = Box(false)
        do {
            let canary = Canary { gone.value = true }
            let chunks = Subject<Bytes, SocketError>()
            let subscription = SignalSubscription()
            chunks.signal.framed(by: .newline, limit: 10).subscribe(
                in: subscription,
                onValue: { [weak subscription] _ in
                    canary.sing()
                    _ = subscription?.pause()
                },
                onTermination: noFailure()
            )
            chunks.send("a\nb\nc\n")
            if isDisposed { subscription.dispose() }
        }
        #expect(gone.value)
    }
}

extension Sockets {
    @Suite struct FramedConnectionTests {
        @Test("Lines are echoed over a connection with back-pressure", arguments: LoopKind.all)
        func lines(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let framing = Framing.lengthPrefix(bytes: 2)
            let lineSignal = connection.received.framed(by: .newline, limit: 1000)
            let replies = lineSignal.map { (try? framing.encode($0)) ?? Bytes() }
            let end = connection.send(from: replies).log()
            var random = SplitMix64(seed: 3)
            let lines = (0..<3000).map { index in
                "\(index)" + String(repeating: "z", count: Int.random(in: 0...300, using: &random))
            }
            let input = Array(lines.joined(separator: "\r\n").utf8)
            var sent = 0
            let expected = try lines.flatMap { Array(try framing.encode(Bytes($0))) }
            var all: [UInt8] = []
            try server.loop.turns {
                if sent < input.count {
                    sent += client.send(input[sent...].prefix(50_000))
                    if sent == input.count { client.finish() }
                }
                if case .bytes(let bytes) = client.receive() { all += bytes }
                return end.hasEnded && all.count >= expected.count
            }
            #expect(all == expected && end.isCompleted)
            try server.expectNothingLeft(after: client)
        }

        @Test("A frame that is too long fails the reply and closes the connection", arguments: LoopKind.all)
        func tooLong(_ kind: LoopKind) throws {
            let server = try TestServer(kind)
            let (client, connection) = try server.connect()
            let end = connection.send(from: connection.received.framed(by: .newline, limit: 100)).log()
            client.send(noise(500).map { $0 | 64 })
            let received = try server.receiveToEnd(at: client)
            #expect(received.bytes.isEmpty && end.code == .frameTooLong)
            if case .failed = received.end {} else { Issue.record("the client saw \(received.end)") }
            try server.expectNothingLeft(after: client)
        }
    }
}
