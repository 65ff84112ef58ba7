// SPDX-License-Identifier: MIT
#if NATS
    import Foundation
    import LoopTestSupport
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance
    import Testing

    extension NATSTests {
        /// Servers that stop in the middle of a record of TLS, that read nothing, and that answer no pings.
        @Suite struct StoppedServerTests {
            /// What a client publishes to a server that has stopped. `more` is more than the systems of both sides buffer.
            enum Publishing: CaseIterable {
                case nothing, little, more
            }

            /// Runs `body` with a server, plain or with TLS, a relay to it, and the options of its clients.
            private func withRelay(
                _ kind: LoopKind,
                isSecure: Bool,
                _ body: (NATSBench, Relay, NATSOptions) async throws -> Void
            ) async throws {
                let folder = try TestFolder()
                defer { folder.remove() }
                var options = NATSOptions.quick
                var server: NATSServer?
                if isSecure {
                    let own = try Certificate(named: "localhost", in: folder.url)
                    options.security = own.security
                    server = try await NATSServer("-c", folder.settings(certificate: own))
                }
                try await withBench(kind, server) { bench in
                    let relay = try Relay(kind, to: bench.server)
                    defer { relay.end() }
                    try await body(bench, relay, options)
                }
            }

            /// Waits until timers of the loop have fired in many turns.
            private func expectAlive(_ loop: any LoopScheduler) async throws {
                let turns = Box(0)
                let pace = Repetition.fixedDelay(.milliseconds(1))
                let timer = loop.schedule(at: loop.now, repeating: pace, options: TimerOptions()) { turns.increment() }
                try await eventually("timers of the loop") { turns.value >= 50 }
                timer.dispose()
            }

            @Test("Half of a record of TLS does not block the loop", arguments: LoopKind.all)
            func half(kind: LoopKind) async throws {
                try await withRelay(kind, isSecure: true) { bench, relay, options in
                    let publisher = try await bench.client(options)
                    let client = try await bench.client(options, at: relay.url)
                    let heard = try await client.record("x")
                    relay.cut()
                    publisher.publish(NATSMessage(.letters(9_000), to: "x"))
                    try await eventually("half of a record") { relay.isHolding }
                    try await expectAlive(bench.loop)
                    #expect(heard.messages.count == 0)
                    relay.release()
                    try await eventually("the message") { heard.messages.count == 1 }
                    #expect(heard.messages.values[0].payload == .letters(9_000))
                    client.close()
                    try await eventually("the end") { client.state.value.isClosed }
                }
            }

            @Test(
                "A server that reads nothing does not block the loop, and loses nothing",
                arguments: LoopKind.all,
                [false, true]
            )
            func reading(kind: LoopKind, isSecure: Bool) async throws {
                try await withRelay(kind, isSecure: isSecure) { bench, _, options in
                    let client = try await bench.client(options)
                    let heard = try await client.record("x", pending: NATSPendingLimits(messages: .max, bytes: .max))
                    bench.server.stop()
                    // More than the kernel takes. The buffer grows, and moves, while OpenSSL waits for the socket.
                    let messages = (0..<40).map { number in
                        Bytes([UInt8](repeating: UInt8(number), count: 400_000 + number))
                    }
                    for message in messages.prefix(20) { client.publish(NATSMessage(message, to: "x")) }
                    try await expectAlive(bench.loop)
                    for message in messages.suffix(20) { client.publish(NATSMessage(message, to: "x")) }
                    try await expectAlive(bench.loop)
                    bench.server.resume()
                    try await eventually("all messages") { heard.messages.count == messages.count }
                    #expect(heard.messages.values.map(\.payload) == messages)
                }
            }

            @Test(
                "A server that answers no pings is left, also if it reads nothing",
                arguments: LoopKind.all,
                Publishing.allCases.flatMap { [($0, false), ($0, true)] }
            )
            func silence(kind: LoopKind, _ variant: (publishing: Publishing, isSecure: Bool)) async throws {
                let publishing = variant.publishing
                try await withRelay(kind, isSecure: variant.isSecure) { bench, _, options in
                    var options = options
                    options.pingInterval = .milliseconds(50)
                    let client = try await bench.client(options)
                    bench.server.stop()
                    if publishing == .more {
                        for _ in 0..<40 { client.publish(NATSMessage(.letters(400_000), to: "x")) }
                    }
                    try await eventually("the end of the connection") {
                        if publishing == .little { client.publish(NATSMessage("x", to: "x")) }
                        return client.state.value == .reconnecting
                    }
                    bench.server.resume()
                    try await eventually("the next connection") { client.isConnected }
                }
            }

            @Test(
                "A server that sends messages, and answers no pings, is left",
                arguments: LoopKind.all,
                [false, true]
            )
            func flood(kind: LoopKind, isSecure: Bool) async throws {
                try await withRelay(kind, isSecure: isSecure) { bench, relay, options in
                    let publisher = try await bench.client(options)
                    var options = options
                    options.pingInterval = .milliseconds(100)
                    let client = try await bench.client(options, at: relay.url)
                    let recording = try await client.record("x")
                    relay.isDeaf.value = true
                    try await eventually("the end of the connection") {
                        publisher.publish(NATSMessage(.letters(2_000), to: "x"))
                        return client.state.value == .reconnecting
                    }
                    relay.isDeaf.value = false
                    try await eventually("the next connection") { client.isConnected }
                    withExtendedLifetime(recording) {}
                    client.close()
                    try await eventually("the end") { client.state.value.isClosed }
                }
            }
        }
    }
#endif
