// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerConformance
import SchedulerEngine
import Testing

/// Needs input until "!" has arrived. Each "?" suspends it until it is resumed.
private struct Suspending: ConnectionTransformer {
    /// What the test observes and uses.
    final class Probe: Sendable {
        let resumption = Box<TransformerResumption?>(nil)
        let isSuspended = Box(false)
        let receivedCount = Box(0)
        let resumptions = Box(0)
    }

    let probe: Probe
    var inputTimeout: Duration?
    private(set) var needsInput = true
    private(set) var isSuspended = false
    private var held: [Bytes] = []

    init(_ probe: Probe, inputTimeout: Duration?) {
        self.probe = probe
        self.inputTimeout = inputTimeout
    }

    var heldCount: Int { held.reduce(0) { $0 + $1.count } }

    mutating func begin(_ out: inout TransformedBytes) { probe.resumption.value = out.resumption }

    mutating func resume(_ out: inout TransformedBytes) {
        probe.resumptions.update { $0 += 1 }
        isSuspended = false
        out.toPeer("r")
    }

    mutating func receive(_ bytes: Bytes, _ out: inout TransformedBytes) {
        probe.receivedCount.update { [count = bytes.count] in $0 += count }
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "?"):
                isSuspended = true
                probe.isSuspended.value = true
            case UInt8(ascii: "!"):
                needsInput = false
                for bytes in held { out.toPeer(bytes) }
                held = []
            default: out.toApplication(Bytes([byte]))
            }
        }
    }

    mutating func send(_ bytes: Bytes, _ out: inout TransformedBytes) {
        if needsInput { held.append(bytes) } else { out.toPeer(bytes) }
    }
}

extension Sockets {
    @Suite struct TransformerSuspensionTests {
        private final class Bench: Sendable {
            let loop: any LoopScheduler
            let near: Connection
            let far: Connection
            let probe = Suspending.Probe()
            let sent = Box("")

            init(_ kind: LoopKind, timeout: Duration? = nil) throws {
                loop = try kind.make(thread: .owned)
                let (own, other) = Descriptor.sockets()
                near = try Connection(
                    adopting: own,
                    loop: loop,
                    transformer: Suspending(probe, inputTimeout: timeout)
                )
                far = try Connection(adopting: other, loop: loop)
                far.received.subscribe(
                    onValue: { [sent] bytes in sent.update { $0 += "\(bytes)" } },
                    onTermination: { _ in }
                )
            }

            /// Closes both ends, checks that they have left nothing on the loop, and disposes the loop.
            func end() {
                near.abort()
                far.abort()
                loop.expectNothingLeftAndDispose { Issue.record($0) }
            }

            /// Suspends the transformer.
            func suspend() async throws {
                far.send("?")
                try await eventually("the suspension") { [probe] in probe.isSuspended.value }
            }
        }

        @Test("While a transformer is suspended, the connection receives nothing", arguments: LoopKind.all)
        func nothing(kind: LoopKind) async throws {
            let bench = try Bench(kind)
            defer { bench.end() }
            let received = Box("")
            bench.near.received.subscribe(
                onValue: { bytes in received.update { $0 += "\(bytes)" } },
                onTermination: { _ in }
            )
            try await bench.suspend()
            _ = try await bench.far.send("abc!def").last()
            bench.near.send("held")
            for _ in 0..<20 { try bench.loop.sync() }
            #expect(bench.probe.receivedCount.value == 1 && received.value == "" && bench.sent.value == "")
            bench.probe.resumption.value?.resume()
            try await eventually("the rest") { received.value == "abcdef" && bench.sent.value == "rheld" }
        }

        @Test("The time limit applies during a suspension", arguments: LoopKind.all)
        func timeout(kind: LoopKind) async throws {
            // On a busy machine the limit may pass before the suspension. Then the next attempt has a longer one.
            for milliseconds in [50, 500, 5_000] {
                let bench = try Bench(kind, timeout: .milliseconds(milliseconds))
                defer { bench.end() }
                let (probe, end) = (bench.probe, Box<SocketError?>(nil))
                bench.near.ended.subscribe(onTermination: { termination in
                    if case .failed(let error) = termination { end.value = error }
                })
                bench.far.send("?")
                try await eventually("the suspension") { probe.isSuspended.value || end.value != nil }
                if !probe.isSuspended.value { continue }
                try await eventually("the end") { end.value?.code == .timedOut }
                probe.resumption.value?.resume()
                try bench.loop.sync()
                #expect(probe.resumptions.value == 0)
                return
            }
            Issue.record("the limit has passed before the suspension, three times")
        }

        @Test("After an abort a resumption does nothing", arguments: LoopKind.all)
        func aborted(kind: LoopKind) async throws {
            let bench = try Bench(kind)
            defer { bench.end() }
            try await bench.suspend()
            bench.near.abort()
            for _ in 0..<3 { bench.probe.resumption.value?.resume() }
            try bench.loop.sync()
            #expect(bench.probe.resumptions.value == 0)
        }

        @Test("A close waits for a resumption", arguments: LoopKind.all)
        func closed(kind: LoopKind) async throws {
            let bench = try Bench(kind)
            defer { bench.end() }
            try await bench.suspend()
            bench.near.send("held")
            bench.near.close()
            try bench.loop.sync()
            bench.probe.resumption.value?.resume()
            bench.far.send("!")
            try await eventually("the bytes") { bench.sent.value == "rheld" }
        }

        @Test(
            "A resumption does not retain its connection, and each call calls the transformer",
            arguments: LoopKind.all
        )
        func calls(kind: LoopKind) throws {
            let loop = try kind.make()
            let (own, other) = Descriptor.sockets()
            defer { Descriptor.close(other) }
            let probe = Suspending.Probe()
            var connection: Connection? = try Connection(
                adopting: own,
                loop: loop,
                transformer: Suspending(probe, inputTimeout: nil)
            )
            Descriptor.put("!", to: other)
            try loop.turns { probe.receivedCount.value == 1 }
            for _ in 0..<3 { probe.resumption.value?.resume() }
            try loop.turns { probe.resumptions.value == 3 }
            weak let reference = connection
            connection = nil
            try loop.turns { reference == nil }
            probe.resumption.value?.resume()
            try loop.turns(3)
            #expect(probe.resumptions.value == 3)
            loop.dispose()
        }
    }
}
