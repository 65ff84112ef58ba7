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
        @Suite struct ServerTests {
            @Test("After a time limit, the server that answered is asked first", arguments: LoopKind.all)
            func preferred(_ kind: LoopKind) throws {
                let loop = try kind.make()
                defer { loop.dispose() }
                let silent = Box(true)
                let first = try DNSServer(loop) { silent.value ? [] : [$0.addresses("192.0.2.1")] }
                let second = try DNSServer(loop) { [$0.addresses("192.0.2.2")] }
                var settings = AresSettings()
                settings.servers = [first.address, second.address]
                settings.timeout = .milliseconds(50)
                // Enough for a machine that stalls: the time doubles with each try.
                settings.tries = 10
                let resolver = AresResolver(loop: loop, settings: settings)
                #expect(try CAres.look(up: "one.test", resolver).hosts == ["192.0.2.2"])
                // After a pause of the machine, the first server is asked too, so one of several names decides.
                let isPreferred = try (0..<20).contains { (number) throws in
                    let host = "two\(number).test"
                    #expect(try CAres.look(up: host, resolver).hosts == ["192.0.2.2"])
                    return !first.names.contains(host)
                }
                #expect(isPreferred)
                silent.value = false
                second.close()
                // The port of the closed server refuses, or another socket of this process has it and is silent.
                #expect(try CAres.look(up: "three.test", resolver).hosts == ["192.0.2.1"])
            }

            @Test(
                "A server that refuses or fails is replaced by the next one without a time limit",
                arguments: LoopKind.all
            )
            func failing(_ kind: LoopKind) throws {
                for code in [DNSCode.serverFailure, DNSCode.refused, DNSCode.notImplemented] {
                    let loop = try kind.make()
                    defer { loop.dispose() }
                    let first = try DNSServer(loop) { [$0.answer([], code: code)] }
                    let second = try DNSServer(loop) { [$0.addresses("192.0.2.2")] }
                    var settings = AresSettings()
                    settings.servers = [first.address, second.address]
                    settings.timeout = .seconds(Latch.limit)
                    let resolver = AresResolver(loop: loop, settings: settings)
                    #expect(try CAres.look(up: "one.test", resolver).hosts == ["192.0.2.2"])
                    #expect(first.queries.count == 2)
                }
            }

            @Test(
                "At most the allowed number of names is looked up at the same time, in order",
                arguments: LoopKind.all
            )
            func concurrency(_ kind: LoopKind) throws {
                let (open, most) = (Box<Set<String>>([]), Box(0))
                try CAres.with(kind, change: { $0.maximumConcurrency = 3 }) { query in
                    let count = open.update { open in
                        open.insert(query.name)
                        return open.count
                    }
                    most.update { $0 = max($0, count) }
                    return [query.addresses("192.0.2.1", "2001:db8::1")]
                } _: { (loop, server, resolver) throws in
                    let ended = Recorder<Int>()
                    for number in 0..<50 {
                        resolver.resolver.addresses(of: "web\(number).test", port: 80, loop: loop).subscribe(
                            onValue: { _ in },
                            onTermination: { _ in
                                open.update { _ = $0.remove("web\(number).test") }
                                ended.append(number)
                            }
                        )
                    }
                    try loop.turns { ended.count == 50 }
                    #expect(most.value <= 3 && server.names == (0..<50).map { "web\($0).test" })
                }
            }

            @Test("A look-up beyond the limit fails, and succeeds when others have ended", arguments: LoopKind.all)
            func limit(_ kind: LoopKind) throws {
                try CAres.with(kind, change: { $0.maximumLookUps = 3 }) { query in
                    [query.addresses("192.0.2.1", "2001:db8::1")]
                } _: { (loop, _, resolver) throws in
                    let logs = (0..<5).map { number in
                        resolver.resolver.addresses(of: "web\(number).test", port: 80, loop: loop).log()
                    }
                    try loop.turns { logs.allSatisfy(\.hasEnded) }
                    #expect(
                        logs.prefix(3).allSatisfy(\.isCompleted) && logs.suffix(2).allSatisfy { $0.code == .systemCall }
                    )
                    #expect(logs[4].message.contains("3 look-ups"))
                    #expect(try CAres.look(up: "web4.test", resolver).isCompleted)
                }
            }

            @Test("A connection is established to a name that the resolver looks up", arguments: LoopKind.all)
            func connecting(_ kind: LoopKind) throws {
                try CAres.with(kind) {
                    [$0.addresses("127.0.0.1")]
                } _: { (loop, _, resolver) throws in
                    let listener = try Listener(on: .loopback(port: 0), loop: loop)
                    let log = Connection.connect(
                        toHost: "web.test",
                        port: Int(listener.localAddress.port),
                        loop: loop,
                        resolver: resolver.resolver
                    ).log()
                    try loop.turns { log.hasEnded }
                    #expect(log.values.first?.remoteAddress == listener.localAddress)
                    log.values.first?.abort()
                    listener.close()
                }
            }
        }
    }

    /// Tests with a process of their own, which may therefore run beside the other tests.
    @Suite struct ResolverProgramTests {
        @Test(
            "10,000 look-ups with a dead first server need no thread and one time limit, and fail as expected",
            arguments: LoopKind.all
        )
        func deadServer(_ kind: LoopKind) async throws {
            #expect(try await ChildProgram.failure(of: "ResolverProgram", "threads", kind.rawValue) == nil)
        }

        @Test(
            "E4: without descriptors a look-up fails with a typed error, and later ones succeed",
            arguments: LoopKind.all
        )
        func exhaustion(_ kind: LoopKind) async throws {
            #expect(try await ChildProgram.failure(of: "ResolverProgram", "descriptors", kind.rawValue) == nil)
        }

        @Test("If the loop refuses a socket, the look-up fails without another event", arguments: LoopKind.all)
        func refused(_ kind: LoopKind) async throws {
            #expect(try await ChildProgram.failure(of: "ResolverProgram", "watches", kind.rawValue) == nil)
        }
    }
#endif
