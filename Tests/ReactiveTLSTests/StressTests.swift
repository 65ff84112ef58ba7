// SPDX-License-Identifier: MIT
#if TLS
    import Glibc
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveTLS

    /// Other threads act at any moment of a handshake: they end connections, answer, reload, upgrade, and dispose the loop.
    @Suite struct StressTests {
        private static let rounds = getenv("TLS_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 4
        private let certificates = Certificates.shared

        @Test("Threads act at any moment of a handshake", arguments: LoopKind.all, [TLSVersion.tls12, .tls13])
        func threads(kind: LoopKind, version: TLSVersion) throws {
            let chosen = try TLSContext(certificates.server())
            var settings = certificates.server()
            settings.contextForServerName = { _ in
                Signal<TLSContext, any Error> { emitter, _ in
                    _ = TestThread {
                        emitter.send(chosen)
                        emitter.complete()
                    }
                }
            }
            let server = try TLSContext(settings)
            let client = try certificates.client(version)
            for round in 0..<Self.rounds {
                try play(kind, server, [server, client, chosen], client, SplitMix64(seed: UInt64(round)))
            }
        }

        private func play(
            _ kind: LoopKind,
            _ server: TLSContext,
            _ contexts: [TLSContext],
            _ client: TLSContext,
            _ seeded: SplitMix64
        ) throws {
            var random = seeded
            let loops = [try kind.make(thread: .owned), try kind.make(thread: .owned)]
            defer { for loop in loops { loop.dispose() } }
            let ends = Box(0)
            let all = try makeConnections(on: loops, server, client, ends)
            let threads = (0..<4).map { _ in
                let own = SplitMix64(seed: random.next())
                return TestThread {
                    var random = own
                    for _ in 0..<12 {
                        let connection = all[random.number(0...all.count - 1)]
                        switch random.number(0...9) {
                        case 0: connection.abort()
                        case 1: connection.close()
                        case 2: connection.finishSending()
                        case 3: connection.startTLS(server, as: .server)
                        case 4, 5: connection.send("bytes").subscribe(onTermination: { _ in })
                        case 6: try contexts[random.number(0...2)].reload()
                        case 7: connection.loop.execute { _ = connection.tlsInfo }
                        case 8: for _ in 0..<random.number(0...50) { sched_yield() }
                        default: connection.received.subscribe(onValue: { _ in }, onTermination: { _ in })
                        }
                    }
                }
            }
            let disposes = random.number(0...1) == 0
            if disposes { loops[1].dispose() }
            for thread in threads { try thread.join() }
            for connection in all { connection.abort() }
            if !disposes { try waitUntil("end of all connections") { ends.value == all.count } }
        }

        /// Creates pairs of connected clients and servers, a third of which begin without TLS.
        private func makeConnections(
            on loops: [any LoopScheduler],
            _ server: TLSContext,
            _ client: TLSContext,
            _ ends: Box<Int>
        ) throws -> [Connection] {
            var connections: [Connection] = []
            for number in 0..<6 {
                let (near, far) = Descriptor.sockets()
                let isUpgrade = number % 3 == 2
                let served = try Connection(
                    adopting: near,
                    loop: loops[number % 2],
                    transformer: isUpgrade ? nil : server.server()
                )
                let asking = try Connection(
                    adopting: far,
                    loop: loops[0],
                    transformer: isUpgrade ? nil : client.client(host: "localhost")()
                )
                if isUpgrade {
                    served.startTLS(server, as: .server)
                    asking.startTLS(client, as: .client(host: "localhost"))
                }
                for connection in [served, asking] {
                    connection.ended.subscribe(onTermination: { _ in ends.update { $0 += 1 } })
                    connection.received.subscribe(onValue: { _ in }, onTermination: { _ in })
                    connection.send("early").subscribe(onTermination: { _ in })
                }
                connections += [served, asking]
            }
            return connections
        }
    }
#endif
