// SPDX-License-Identifier: MIT
#if CAres
    import DNSServers
    import LoopTestSupport
    import ReactiveCAres
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    extension CAres {
        @Suite struct CacheTests {
            @Test(
                "An answer is cached for the smallest TTL of its records, by the loop's clock",
                arguments: LoopKind.all
            )
            func timeToLive(_ kind: LoopKind) throws {
                let clock = ManualClock()
                try CAres.with(kind, clock: clock) { query in
                    let alias = DNSRecord(alias: "one.test", ttl: 30)
                    let address = query.kind == .a ? "192.0.2.1" : "2001:db8::1"
                    return [query.answer([alias, DNSRecord(address, ttl: 100, of: "one.test")])]
                } _: { (_, server, resolver) throws in
                    #expect(try CAres.look(up: "web.test", resolver).hosts.count == 2)
                    clock.advance(by: .seconds(29))
                    #expect(try CAres.look(up: "WEB.test", resolver).hosts.count == 2)
                    #expect(server.queries.count == 2)
                    clock.advance(by: .seconds(1))
                    #expect(try CAres.look(up: "web.test", resolver).hosts.count == 2)
                    #expect(server.queries.count == 4)
                }
            }

            @Test("The limits of the settings replace a smaller and a larger TTL", arguments: LoopKind.all)
            func limits(_ kind: LoopKind) throws {
                let clock = ManualClock()
                try CAres.with(kind, clock: clock) {
                    $0.timeToLive = .seconds(5) ... .seconds(20)
                } _: { query in
                    [query.addresses("192.0.2.1", "2001:db8::1", ttl: query.name == "short.test" ? 0 : 4_000_000_000)]
                } _: { (_, server, resolver) throws in
                    // RFC 2181: a TTL with the highest bit counts as zero.
                    for host in ["short.test", "negative.test"] {
                        server.queries.clear()
                        for delay in [0, 4, 2] {
                            clock.advance(by: .seconds(delay))
                            try CAres.look(up: host, resolver)
                        }
                        #expect(server.queries.count == 4)
                    }
                }
                try CAres.with(kind, clock: clock) {
                    $0.timeToLive = .zero ... .seconds(20)
                } _: { query in
                    [query.addresses("192.0.2.1", "2001:db8::1", ttl: 1_000_000)]
                } _: { (_, server, resolver) throws in
                    for delay in [0, 19, 2] {
                        clock.advance(by: .seconds(delay))
                        try CAres.look(up: "long.test", resolver)
                    }
                    #expect(server.queries.count == 4)
                }
            }

            @Test("An answer with a TTL of zero and a failure are not cached", arguments: LoopKind.all)
            func uncached(_ kind: LoopKind) throws {
                try CAres.with(kind) { query in
                    query.name == "zero.test"
                        ? [query.addresses("192.0.2.1", "2001:db8::1", ttl: 0)]
                        : [query.answer([], code: DNSCode.noSuchName)]
                } _: { (_, server, resolver) throws in
                    for host in ["zero.test", "missing.test"] {
                        for _ in 0..<2 { try CAres.look(up: host, resolver) }
                    }
                    #expect(server.queries.count == 8)
                }
            }

            @Test("Equal look-ups at the same time share one question", arguments: LoopKind.all)
            func shared(_ kind: LoopKind) throws {
                try CAres.with(kind) {
                    [$0.addresses("192.0.2.1", "2001:db8::1", ttl: 0)]
                } _: { (loop, server, resolver) throws in
                    let names = ["web.test", "WEB.test", "web.Test"]
                    let logs = (0..<30).map { number in
                        resolver.resolver.addresses(of: names[number % 3], port: number, loop: loop).log()
                    }
                    logs[7].subscription.dispose()
                    try loop.turns { logs.indices.allSatisfy { $0 == 7 || logs[$0].hasEnded } }
                    #expect(server.queries.count == 2 && logs[7].values.isEmpty && !logs[7].hasEnded)
                    for (number, log) in logs.enumerated() where number != 7 {
                        #expect(log.values.first?.map(\.port) == [UInt16(number), UInt16(number)])
                    }
                }
            }

            @Test("The cache does not grow beyond its capacity", arguments: LoopKind.all)
            func capacity(_ kind: LoopKind) throws {
                try CAres.with(kind, change: { $0.cacheCapacity = 8 }) { query in
                    [query.addresses("192.0.2.1", "2001:db8::1", ttl: query.name == "old.test" ? 1_000 : 2_000)]
                } _: { (_, server, resolver) throws in
                    for host in ["old.test", "a.test", "b.test", "c.test", "d.test"] {
                        try CAres.look(up: host, resolver)
                    }
                    server.queries.clear()
                    for host in ["a.test", "b.test", "c.test", "d.test"] { try CAres.look(up: host, resolver) }
                    #expect(server.queries.count == 0)
                    try CAres.look(up: "old.test", resolver)
                    #expect(server.queries.count == 2)
                }
            }
        }
    }
#endif
