// SPDX-License-Identifier: MIT
#if TLS
    import COpenSSL
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveTLS

    @Suite struct TicketTests {
        private let certificates = Certificates.shared

        /// A clock that the test sets.
        private final class Clock: Sendable {
            private let start = ContinuousClock.now
            private let passed = Box(Duration.zero)

            func set(_ passed: Duration) { self.passed.value = passed }
            var now: ContinuousClock.Instant { start + passed.value }
        }

        private func context(_ clock: Clock, interval: Duration) throws -> TLSContext {
            var settings = certificates.server()
            settings.ticketKeyInterval = interval
            return try TLSContext(settings, now: { clock.now })
        }

        @Test(
            "A session is resumed until the key of its ticket has expired",
            arguments: [TLSVersion.tls12, .tls13],
            [(seconds: 3_599, isResumed: true), (3_601, true), (7_199, true), (7_200, false), (100_000, false)]
        )
        func expiry(version: TLSVersion, later: (seconds: Int, isResumed: Bool)) throws {
            let clock = Clock()
            let server = try context(clock, interval: .seconds(3_600))
            let client = try certificates.client(version)
            #expect(Wire.resumes(client, server) == false)
            clock.set(.seconds(later.seconds))
            #expect(Wire.resumes(client, server) == later.isResumed)
        }

        @Test("Each resumption renews the ticket with the current key", arguments: [TLSVersion.tls12, .tls13])
        func renewal(version: TLSVersion) throws {
            let clock = Clock()
            let server = try context(clock, interval: .seconds(3_600))
            let client = try certificates.client(version)
            #expect(Wire.resumes(client, server) == false)
            for hour in 1...5 {
                clock.set(.seconds(3_600 * hour + 1))
                #expect(Wire.resumes(client, server) == true, "hour \(hour)")
            }
        }

        @Test("A key encrypts for one interval, and decrypts until its tickets have expired")
        func rotation() throws {
            let clock = Clock()
            let keys = TicketKeys(interval: .seconds(12 * 3_600), now: { clock.now })
            #expect(keys.lifetime == .seconds(2 * 3_600))
            let first = try #require(keys.currentKey())
            func state(_ key: TicketKey) -> Bool? {
                withUnsafeTemporaryAllocation(byteCount: TicketKey.nameLength, alignment: 1) { name in
                    key.copyName(to: name)
                    return keys.key(named: UnsafeRawBufferPointer(name))?.isCurrent
                }
            }
            clock.set(.seconds(12 * 3_600 - 1))
            #expect(keys.currentKey() === first && state(first) == true)
            clock.set(.seconds(12 * 3_600))
            let second = try #require(keys.currentKey())
            #expect(second !== first && state(first) == false && state(second) == true)
            clock.set(.seconds(14 * 3_600 - 1))
            #expect(state(first) == false)
            clock.set(.seconds(14 * 3_600))
            #expect(state(first) == nil && state(second) == true)
        }

        @Test("Only one connection uses a ticket of TLS 1.3", arguments: [TLSVersion.tls12, .tls13])
        func reuse(version: TLSVersion) throws {
            let (server, client) = (try TLSContext(certificates.server()), try certificates.client(version))
            #expect(Wire.resumes(client, server) == false)
            var wires = (0..<2).map { _ in Wire(client, server) }
            // Both say hello before one of them completes, because OpenSSL does not offer a ticket afterwards.
            for number in wires.indices { wires[number].client.begin() }
            for number in wires.indices { wires[number].run() }
            #expect(wires.map { $0.client.info?.isResumed } == [true, version == .tls12])
        }

        @Test("A client keeps sessions up to the limit, and always the newest one")
        func hosts() throws {
            let cache = SessionCache()
            let hosts = (0..<SessionCache.limit + 10).map { "\($0).example" }
            for host in hosts {
                cache.store(StoredSession(try #require(SSL_SESSION_new())), for: host)
                #expect(cache.take(for: host) != nil)
            }
            #expect(hosts.count { cache.take(for: $0) != nil } == SessionCache.limit)
        }

        @Test("A reload replaces the keys")
        func reload() throws {
            let server = try TLSContext(certificates.server())
            let client = try certificates.client(.tls13)
            #expect(Wire.resumes(client, server) == false)
            #expect(Wire.resumes(client, server) == true)
            try server.reload()
            #expect(Wire.resumes(client, server) == false)
            #expect(Wire.resumes(client, server) == true)
        }

        @Test("An interval below a second is refused", arguments: [Duration.zero, .milliseconds(999), .seconds(-1)])
        func shortInterval(interval: Duration) {
            #expect { try context(Clock(), interval: interval) } throws: { error in
                (error as? TLSError)?.code == .invalidConfiguration
            }
        }

        @Test("A session is resumed on another loop of the group", arguments: LoopKind.all)
        func loops(kind: LoopKind) async throws {
            let loops = try LoopGroup(count: 2) { _ in try kind.make(thread: .owned) }
            defer { loops.dispose() }
            let (server, client) = (try TLSContext(certificates.server()), try certificates.client(.tls13))
            var resumed: [Bool?] = []
            for number in 0..<6 {
                let (near, far) = Descriptor.sockets()
                let loop = loops.loops[number % 2]
                let served = try Connection(adopting: near, loop: loop, transformer: server.server())
                served.send(from: served.received)
                let connection = try Connection(
                    adopting: far,
                    loop: loops.loops[0],
                    transformer: client.client(host: "localhost")()
                )
                connection.send("x")
                _ = try await connection.received.first()
                let info = Box<TLSInfo?>(nil)
                try loops.loops[0].sync { info.value = connection.tlsInfo }
                resumed.append(info.value?.isResumed)
                connection.close()
                _ = try await connection.ended.last()
            }
            #expect(resumed == [false, true, true, true, true, true])
        }
    }
#endif
