// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance
import SchedulerEngine
import Testing

/// Keeps what it sends until the peer has sent "!", and again from a sent "?" on. Received "." ends the application's
/// stream.
private struct Handshake: ConnectionTransformer {
    var inputTimeout: Duration?
    private(set) var needsInput = true
    private var held: [Bytes] = []

    init(inputTimeout: Duration? = nil) { self.inputTimeout = inputTimeout }

    var heldCount: Int { held.reduce(0) { $0 + $1.count } }

    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) {
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "!"):
                needsInput = false
                for bytes in held { out.toPeer(bytes) }
                held = []
            case UInt8(ascii: "."): out.endApplicationStream()
            default: out.toApplication(Bytes([byte]))
            }
        }
    }

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) {
        if bytes == "?" { needsInput = true }
        if needsInput { held.append(bytes) } else { out.toPeer(bytes) }
    }

    mutating func finishSending(_ out: inout TransformedBytes) { out.toPeer("end") }
}

private func failure(of result: Signal<Never, SocketError>) async -> SocketError? {
    do throws(SocketError) {
        _ = try await result.last()
        return nil
    } catch {
        return error
    }
}

extension Sockets {
    @Suite struct TransformerHandshakeTests {
        /// A connection whose transformer needs input, and its peer.
        private final class Bench: Sendable {
            let loop: any LoopScheduler
            let near: Connection
            let far: Connection
            let received = Box("")
            let hasEnded = Box(false)

            init(_ kind: LoopKind, timeout: Duration? = nil) async throws {
                let loop = try kind.make(thread: .owned)
                self.loop = loop
                let listener = try Listener(on: .loopback(port: 0), loop: loop)
                let accepted = Box<Connection?>(nil)
                listener.connections.subscribe(onValue: { accepted.value = $0 }, onTermination: { _ in })
                let settings = ConnectSettings(transformer: { Handshake(inputTimeout: timeout) })
                near = try #require(
                    try await Connection.connect(to: listener.localAddress, loop: loop, settings: settings).first()
                )
                try await eventually("the connection") { accepted.value != nil }
                far = try #require(accepted.value)
                listener.close()
            }

            /// Closes both ends, checks that they have left nothing on the loop, and disposes the loop.
            func end() {
                near.abort()
                far.abort()
                loop.expectNothingLeftAndDispose { Issue.record($0) }
            }

            /// Receives at the far side.
            func receive() {
                far.received.subscribe(
                    onValue: { [received] bytes in received.update { $0 += "\(bytes)" } },
                    onTermination: { [hasEnded] _ in hasEnded.value = true }
                )
            }
        }

        @Test("A transformer receives what it needs although nobody subscribes", arguments: LoopKind.all)
        func withoutReader(kind: LoopKind) async throws {
            let bench = try await Bench(kind)
            defer { bench.end() }
            bench.receive()
            let sent = bench.near.send("hello")
            bench.far.send("!")
            _ = try await sent.last()
            try await eventually("the bytes") { bench.received.value == "hello" }
        }

        @Test("A transformer that needs input again receives it behind bytes that wait unread", arguments: LoopKind.all)
        func needsAgain(kind: LoopKind) async throws {
            let bench = try await Bench(kind)
            defer { bench.end() }
            bench.receive()
            bench.near.send("a")
            bench.far.send("!")
            try await eventually("the first bytes") { bench.received.value == "a" }
            bench.far.send("x")
            // A peek finds the byte, and the connection watches no more.
            let isFound = Box(false)
            try await eventually("the unread byte") {
                bench.loop.execute { isFound.value = bench.near.hasUnreadInput }
                return isFound.value
            }
            bench.near.send("?")
            bench.far.send("!")
            try await eventually("the bytes that waited") { bench.received.value == "a?" }
        }

        @Test("A transformer receives what it needs during a pause", arguments: LoopKind.all)
        func paused(kind: LoopKind) async throws {
            let bench = try await Bench(kind)
            defer { bench.end() }
            bench.receive()
            let subscription = SignalSubscription()
            let received = Box("")
            bench.near.received.subscribe(
                in: subscription,
                onValue: { bytes in received.update { $0 += "\(bytes)" } },
                onTermination: { _ in }
            )
            let pause = subscription.pause()
            bench.near.send("hello")
            bench.far.send("!abc")
            try await eventually("the bytes") { bench.received.value == "hello" }
            #expect(received.value == "")
            pause.dispose()
            try await eventually("the chunk") { received.value == "abc" }
        }

        @Test("An end of sending waits for the transformer", arguments: LoopKind.all, [false, true])
        func ending(kind: LoopKind, closes: Bool) async throws {
            let bench = try await Bench(kind)
            defer { bench.end() }
            bench.receive()
            let hasWaited = Box(false)
            // On the loop, because a close gives up after two seconds in which the peer accepts nothing.
            bench.loop.execute {
                bench.near.send("hello")
                if closes { bench.near.close() } else { bench.near.finishSending() }
                bench.loop.schedule(after: .milliseconds(20)) {
                    hasWaited.value = bench.received.value == "" && !bench.hasEnded.value
                    bench.far.send("!")
                }
            }
            #expect(await failure(of: bench.near.send("late"))?.code == .closed)
            try await eventually("the end") { bench.hasEnded.value }
            #expect(hasWaited.value && bench.received.value == "helloend")
        }

        @Test("A source that is sent before the handshake is sent completely", arguments: LoopKind.all)
        func source(kind: LoopKind) async throws {
            let bench = try await Bench(kind)
            defer { bench.end() }
            bench.receive()
            let result = bench.near.send(from: Signal<Bytes, Never>(values: ["a", "b", "c"]))
            bench.far.send("!")
            _ = try await result.last()
            try await eventually("the bytes") { bench.received.value == "abcend" }
        }

        @Test("A transformer that does not receive what it needs fails with timedOut", arguments: LoopKind.all)
        func timeout(kind: LoopKind) async throws {
            let bench = try await Bench(kind, timeout: .milliseconds(20))
            defer { bench.end() }
            #expect(await failure(of: bench.near.send("hello"))?.code == .timedOut)
            #expect(await failure(of: bench.near.ended)?.code == .timedOut)
        }

        @Test("If the connection fails during the handshake, every result fails", arguments: LoopKind.all)
        func reset(kind: LoopKind) async throws {
            let bench = try await Bench(kind)
            defer { bench.end() }
            let sent = bench.near.send("hello")
            bench.near.finishSending()
            bench.far.abort()
            #expect(await failure(of: sent)?.code == .reset)
            #expect(await failure(of: bench.near.ended)?.code == .reset)
        }

        @Test("A transformer ends the application's stream before the peer ends its own", arguments: LoopKind.all)
        func applicationEnd(kind: LoopKind) async throws {
            let bench = try await Bench(kind)
            defer { bench.end() }
            bench.receive()
            let received = Box("")
            let hasEnded = Box(false)
            bench.near.received.subscribe(
                onValue: { bytes in received.update { $0 += "\(bytes)" } },
                onTermination: { _ in hasEnded.value = true }
            )
            bench.far.send("!abc.def")
            try await eventually("the end") { hasEnded.value }
            #expect(received.value == "abc")
            _ = try await bench.near.send("more").last()
            bench.near.finishSending()
            try await eventually("the other end") { bench.hasEnded.value }
            #expect(bench.received.value == "moreend")
        }
    }
}
