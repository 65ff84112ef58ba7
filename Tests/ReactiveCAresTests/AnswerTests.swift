// SPDX-License-Identifier: MIT
#if CAres
    import DNSServers
    import Glibc
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    @testable import ReactiveCAres

    extension CAres {
        @Suite struct AnswerTests {
            @Test("A name resolves to its IPv4 and IPv6 addresses with the port, on the loop", arguments: LoopKind.all)
            func addresses(_ kind: LoopKind) throws {
                try CAres.with(kind) {
                    [$0.addresses("192.0.2.1", "2001:db8::1")]
                } _: { (loop, server, resolver) throws in
                    let isOnLoop = Box(false)
                    let log = resolver.resolver.addresses(of: "Web.Test", port: 80, loop: loop)
                        .map { addresses in
                            isOnLoop.value = loop.isCurrent
                            return addresses
                        }
                        .log()
                    // The look-up keeps the loop alive, and nothing does after it except the server.
                    try loop.turns { log.hasEnded }
                    #expect(log.hosts == ["192.0.2.1", "2001:db8::1"] && log.isCompleted && isOnLoop.value)
                    #expect(log.values.first?.allSatisfy { $0.port == 80 } == true)
                    #expect(server.names.map { $0.lowercased() } == ["web.test"] && server.queries.count == 2)
                }
            }

            @Test("A chain of aliases resolves to the addresses of the last one", arguments: LoopKind.all)
            func aliases(_ kind: LoopKind) throws {
                try CAres.with(kind) { query in
                    guard query.kind == .a else { return [query.answer([DNSRecord(alias: "one.test")])] }
                    return [
                        query.answer([
                            DNSRecord(alias: "one.test"), DNSRecord(alias: "two.test", of: "one.test"),
                            DNSRecord("192.0.2.7", of: "two.test"), DNSRecord("192.0.2.8", of: "two.test"),
                        ])
                    ]
                } _: { (_, _, resolver) throws in
                    #expect(try CAres.look(up: "web.test", resolver).hosts == ["192.0.2.7", "192.0.2.8"])
                }
            }

            @Test(
                "Every cause of a failed resolution has the code of the system's resolver, and names the host",
                arguments: LoopKind.all
            )
            func failures(_ kind: LoopKind) throws {
                try CAres.with(kind, change: { $0.tries = 2 }) { query in
                    switch query.name {
                    case "missing.test": [query.answer([], code: DNSCode.noSuchName)]
                    case "empty.test": [query.answer([])]
                    case "alias.test": [query.answer([DNSRecord(alias: "elsewhere.test")])]
                    case "broken.test": [query.answer([], code: DNSCode.serverFailure)]
                    case "refused.test": [query.answer([], code: DNSCode.refused)]
                    case "half.test":
                        query.kind == .a ? [query.addresses("192.0.2.1")] : [query.answer([], code: DNSCode.noSuchName)]
                    default: [query.addresses("192.0.2.1")]
                    }
                } _: { (_, _, resolver) throws in
                    let long = String(repeating: "x", count: 70) + ".test"
                    for host in ["missing.test", "empty.test", "alias.test", "broken.test", "refused.test", long] {
                        let log = try CAres.look(up: host, resolver)
                        #expect(log.code == .unknownHost, "\(host): \(log.ends)")
                        #expect(log.message.contains("\"\(host)\": "), "\(log.message)")
                    }
                    #expect(try CAres.look(up: "half.test", resolver).hosts == ["192.0.2.1"])
                }
            }

            @Test("A truncated answer is asked for again over TCP", arguments: LoopKind.all)
            func truncated(_ kind: LoopKind) throws {
                // More records than a UDP packet has room for.
                let records = (0..<2_000).map { DNSRecord("10.1.\($0 / 250).\($0 % 250)") }
                try CAres.with(kind, change: { $0.cacheCapacity = 1_000 }) { query in
                    if query.kind == .aaaa { return [query.answer([])] }
                    return [query.isTCP ? query.answer(records) : query.answer([], isTruncated: true)]
                } _: { (_, server, resolver) throws in
                    let log = try CAres.look(up: "huge.test", resolver)
                    #expect(Set(log.hosts).count == 256 && log.hosts.allSatisfy { $0.hasPrefix("10.1.") })
                    #expect(server.queries.values.contains { $0.isTCP })
                    // The answer is too large for the cache.
                    #expect(try CAres.look(up: "huge.test", resolver).hosts.count == 256)
                    #expect(server.queries.count == 6)
                }
            }

            @Test("Forged, malformed, empty and repeated packets do not disturb a look-up", arguments: LoopKind.all)
            func noise(_ kind: LoopKind) throws {
                try CAres.with(kind) { query in
                    let right = query.addresses("192.0.2.1", "2001:db8::1")
                    let forged = query.answer([DNSRecord("203.0.113.9")], id: query.id &+ 1)
                    return [
                        [], forged, [UInt8](repeating: 255, count: 40), Array(right.prefix(11)), right, right, right,
                    ]
                } _: { (_, server, resolver) throws in
                    for number in 0..<20 {
                        let log = try CAres.look(up: "web\(number).test", resolver)
                        #expect(log.hosts == ["192.0.2.1", "2001:db8::1"])
                    }
                    #expect(server.queries.count == 40)
                }
            }

            /// Some versions of c-ares treat an empty datagram as the end of the connection. Others ignore it.
            @Test("Empty datagrams are skipped, and c-ares receives the next one")
            func emptyPacket() throws {
                let loop = try LoopKind.all[0].make()
                defer { loop.dispose() }
                let core = AresCore(loop, AresSettings())
                var sockets = AresSockets(core)
                let server = RawSocket.bound(to: .loopback(port: 0), .datagram)
                let client = sockets.make(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
                defer {
                    Descriptor.close(server)
                    _ = sockets.close(client)
                }
                let address = try #require(OpenSockets.localAddress(of: server))
                #expect(address.withSockaddr { sockets.connect(client, $0, $1) } == 0)
                let own = try #require(OpenSockets.localAddress(of: client))
                for packet in [[], [], [120], []] as [[UInt8]] {
                    #expect(own.withSockaddr { sendto(server, packet, packet.count, 0, $0, $1) } == packet.count)
                }
                var memory = [UInt8](repeating: 0, count: 16)
                func receive() -> Int {
                    sockets.beginCall(maximumReads: 10)
                    return memory.withUnsafeMutableBytes { memory in
                        sockets.receive(client, memory.baseAddress, memory.count, nil, nil)
                    }
                }
                // The kernel may deliver later than a send returns.
                var count = -1
                try waitUntil("the packet that is not empty") {
                    count = receive()
                    return count != -1 || errno != EAGAIN
                }
                #expect(count == 1 && memory[0] == 120)
                #expect(receive() == -1 && errno == EAGAIN)
                withExtendedLifetime(core) {}
            }

            @Test("An answer whose records cannot be parsed is a failed resolution", arguments: LoopKind.all)
            func garbage(_ kind: LoopKind) throws {
                try CAres.with(kind) { query in
                    // The header promises a record that the packet does not contain.
                    let whole = query.answer([DNSRecord("192.0.2.1")])
                    return [Array(whole.dropLast(3))]
                } _: { (_, _, resolver) throws in
                    #expect(try CAres.look(up: "web.test", resolver).code == .unknownHost)
                }
            }

            @Test("A lost packet is sent again, and a late answer is accepted", arguments: LoopKind.all)
            func lost(_ kind: LoopKind) throws {
                let seen = Box<[String: Int]>([:])
                let change = { @Sendable (settings: inout AresSettings) in
                    settings.timeout = .milliseconds(20)
                    // Enough for a machine that stalls: the time doubles with each try.
                    settings.tries = 10
                }
                try CAres.with(kind, change: change) { query in
                    let key = "\(query.name) \(query.kind == .a)"
                    let count = seen.update { seen in
                        seen[key, default: 0] += 1
                        return seen[key, default: 0]
                    }
                    return count < 3 ? [] : [query.addresses("192.0.2.1", "2001:db8::1")]
                } _: { (_, server, resolver) throws in
                    #expect(try CAres.look(up: "web.test", resolver).hosts == ["192.0.2.1", "2001:db8::1"])
                    #expect(server.queries.count >= 6)
                }
            }

            @Test("Without any answer, the servers' time limit or that of the look-up ends it", arguments: LoopKind.all)
            func silence(_ kind: LoopKind) throws {
                try CAres.with(kind) {
                    $0.timeout = .milliseconds(10)
                    $0.tries = 2
                } _: { _ in
                    []
                } _: { (loop, server, resolver) throws in
                    let begin = loop.now
                    #expect(try CAres.look(up: "web.test", resolver).code == .unknownHost)
                    #expect(loop.now - begin >= .milliseconds(10) && server.queries.count == 4)
                    var settings = AresSettings()
                    settings.servers = [server.address]
                    let patient = AresResolver(loop: loop, settings: settings)
                    #expect(try CAres.look(up: "web.test", patient, timeout: .milliseconds(10)).code == .timedOut)
                    // c-ares takes -1 for its default, 5 s. The limit is below that, and 4,000 times the expected wait.
                    settings.timeout = .milliseconds(-1)
                    settings.tries = 1
                    let hasty = AresResolver(loop: loop, settings: settings)
                    #expect(try CAres.look(up: "web.test", hasty, timeout: .seconds(4)).code == .unknownHost)
                }
            }
        }
    }
#endif
