// SPDX-License-Identifier: MIT
#if CAres
    import DNSServers
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    @testable import ReactiveCAres

    extension CAres {
        @Suite struct EndTests {
            @Test("A cancelled look-up sends nothing, and does not keep the loop alive", arguments: LoopKind.all)
            func cancelled(_ kind: LoopKind) throws {
                let loop = try kind.make()
                defer { loop.dispose() }
                let other = try kind.make(thread: .owned)
                defer { other.dispose() }
                let server = try DNSServer(other) { _ in [] }
                var settings = AresSettings()
                settings.servers = [server.address]
                settings.maximumConcurrency = 2
                let resolver = AresResolver(loop: loop, settings: settings)
                let logs = (0..<5).map { resolver.resolver.addresses(of: "web\($0).test", port: 1, loop: loop).log() }
                let measured = try #require(loop as? any MeasuredLoop)
                try loop.turns { server.names.count == 2 }
                // Both questions use one socket.
                #expect(try measured.measurements().watches == 1)
                for log in logs { log.subscription.dispose() }
                let isCancelled = Box(false)
                loop.execute { isCancelled.value = true }
                try loop.turns { isCancelled.value }
                let held = try measured.measurements()
                #expect(held.watches == 0 && held.timers == 0)
                // Returns, because the sockets are closed.
                try loop.runUntilIdle()
                #expect(logs.allSatisfy { $0.values.isEmpty && !$0.hasEnded })
                let local = resolver.resolver.addresses(of: "localhost", port: 80, loop: loop).log()
                // Needs no server either, and begins later.
                try CAres.look(up: "localhost", AresResolver(loop: loop))
                #expect(local.isCompleted && !server.names.contains("localhost"))
            }

            @Test("A cancelled look-up frees its slot for the next ones", arguments: LoopKind.all)
            func freed(_ kind: LoopKind) throws {
                try CAres.with(kind, change: { $0.maximumConcurrency = 1 }) { query in
                    query.name == "silent.test" ? [] : [query.addresses("192.0.2.1", "2001:db8::1")]
                } _: { (loop, server, resolver) throws in
                    let values = resolver.resolver
                    // Cancelled while they wait, and asked for again.
                    let cancelled = (0..<100).map { values.addresses(of: "web\($0).test", port: 1, loop: loop).log() }
                    for log in cancelled.dropFirst() { log.subscription.dispose() }
                    let again = (50..<60).map { values.addresses(of: "web\($0).test", port: 1, loop: loop).log() }
                    try loop.turns { again.allSatisfy(\.hasEnded) }
                    #expect(again.allSatisfy(\.isCompleted) && cancelled[0].isCompleted)
                    #expect(cancelled.dropFirst().allSatisfy { !$0.hasEnded })
                    #expect(server.names.count == 11)
                }
            }

            @Test("c-ares works on a limited number of names without a look-up", arguments: LoopKind.all)
            func cancelledQuestions(_ kind: LoopKind) throws {
                try CAres.with(kind) {
                    $0.maximumConcurrency = 1
                    $0.timeout = .seconds(Latch.limit)
                } _: { query in
                    query.name.hasPrefix("web") ? [] : [query.addresses("192.0.2.1", ttl: 0)]
                } _: { (loop, server, resolver) throws in
                    let names = (0..<6).map { "web\($0).test" }
                    let logs = names.map { resolver.resolver.addresses(of: $0, port: 1, loop: loop).log() }
                    for number in 0..<4 {
                        try loop.turns { server.names.count > number }
                        logs[number].subscription.dispose()
                    }
                    // The second of these questions arrives after each question that the cancellation has allowed.
                    var settings = AresSettings()
                    settings.servers = [server.address]
                    let other = AresResolver(loop: loop, settings: settings)
                    for host in ["one.test", "two.test"] { try CAres.look(up: host, other) }
                    #expect(server.names == names.prefix(4) + ["one.test", "two.test"])
                    for log in logs { log.subscription.dispose() }
                }
            }

            @Test("Closing a resolver releases the questions that c-ares works on", arguments: LoopKind.all)
            func released(_ kind: LoopKind) throws {
                try CAres.with(kind) { _ in
                    []
                } _: { (loop, server, resolver) throws in
                    var settings = AresSettings()
                    settings.servers = [server.address]
                    weak var released: AresCore?
                    try { () throws in
                        let core = AresCore(loop, settings)
                        released = core
                        let confined = UnsafeTransfer(core)
                        let log = AresCore.addresses(of: "web.test", port: 1, for: loop, from: confined).log()
                        try loop.turns { !server.names.isEmpty }
                        core.close()
                        #expect(log.code == .closed)
                    }()
                    // The loop releases a watch and a timer in a later turn.
                    try CAres.look(up: "localhost", resolver)
                    // The macro would print the whole object, which contains cycles.
                    let isReleased = released == nil
                    #expect(isReleased)
                }
            }

            @Test("Disposing the resolver fails open and later look-ups with `closed`", arguments: LoopKind.all)
            func disposed(_ kind: LoopKind) throws {
                try CAres.with(kind) {
                    $0.timeout = .milliseconds(100)
                    $0.tries = 12
                    $0.maximumConcurrency = 8
                } _: { query in
                    query.name == "web.test" ? [query.addresses("192.0.2.1")] : []
                } _: { (loop, server, resolver) throws in
                    let values = resolver.resolver
                    let logs = (0..<26).map { values.addresses(of: "web\($0).test", port: 1, loop: loop).log() }
                    let ended = Recorder<Int>()
                    for number in 0..<3 {
                        values.addresses(of: "web\(number).test", port: 1, loop: loop)
                            .subscribe(onValue: { _ in }, onTermination: { _ in ended.append(number) })
                    }
                    // An answer disposes the resolver.
                    values.addresses(of: "web.test", port: 1, loop: loop)
                        .subscribe(onValue: { _ in resolver.dispose() }, onTermination: { _ in })
                    for log in logs.dropFirst(6) { log.subscription.dispose() }
                    try loop.turns { logs.prefix(6).allSatisfy(\.hasEnded) }
                    #expect(logs.prefix(6).allSatisfy { $0.code == .closed } && ended.values == [0, 1, 2])
                    #expect(resolver.isDisposed && server.names.contains("web.test"))
                    #expect(try CAres.look(up: "web.test", resolver).code == .closed)
                }
            }

            @Test(
                "Disposing the loop ends its look-ups silently, and fails those of other loops",
                arguments: LoopKind.all
            )
            func loopDisposed(_ kind: LoopKind) throws {
                let (own, other) = (try kind.make(), try kind.make())
                defer { other.dispose() }
                let server = try DNSServer(other) { _ in [] }
                var settings = AresSettings()
                settings.servers = [server.address]
                let resolver = AresResolver(loop: own, settings: settings)
                let silent = resolver.resolver.addresses(of: "one.test", port: 1, loop: own).log()
                let failing = resolver.resolver.addresses(of: "two.test", port: 1, loop: other).log()
                try own.turns {
                    try? other.runOnce(waiting: false)
                    return server.names.count == 2
                }
                own.dispose()
                try other.turns { failing.hasEnded }
                #expect(failing.code == .loop && !silent.hasEnded && resolver.isDisposed)
                let late = resolver.resolver.addresses(of: "three.test", port: 1, loop: other).log()
                try other.turns { late.hasEnded }
                #expect(late.code == .loop)
            }

            @Test("A look-up fails if the loop is disposed before it has started", arguments: LoopKind.all)
            func disposedBeforeStart(_ kind: LoopKind) throws {
                let (own, other) = (try kind.make(), try kind.make())
                defer { other.dispose() }
                let resolver = AresResolver(loop: own)
                // Neither loop runs, so the job that starts the look-up waits in the queue.
                let waiting = resolver.resolver.addresses(of: "one.test", port: 1, loop: other).log()
                let silent = resolver.resolver.addresses(of: "two.test", port: 1, loop: own).log()
                own.dispose()
                try other.turns { waiting.hasEnded }
                #expect(waiting.code == .loop && waiting.ends.count == 1 && !silent.hasEnded)
            }

            @Test("Each look-up that begins while another thread disposes the loop fails", arguments: LoopKind.all)
            func disposedAtStart(_ kind: LoopKind) throws {
                for _ in 0..<20 {
                    let (own, other) = (try kind.make(thread: .owned), try kind.make(thread: .owned))
                    let resolver = AresResolver(loop: own).resolver
                    let (ends, begun) = (Latch(20), Latch())
                    let disposal = TestThread {
                        try? begun.wait()
                        own.dispose()
                    }
                    for number in 0..<20 {
                        if number == 3 { begun.arrive() }
                        resolver.addresses(of: "localhost", port: 1, loop: other).subscribe(
                            onValue: { _ in },
                            onTermination: { _ in ends.arrive() }
                        )
                    }
                    try ends.wait("the end of each look-up")
                    try disposal.join()
                    other.dispose()
                }
            }

            @Test("A resolver serves subscribers of other loops, on their loops", arguments: LoopKind.pairs)
            func otherLoops(_ first: LoopKind, _ second: LoopKind) throws {
                let own = try first.make(thread: .owned)
                defer { own.dispose() }
                let others = try (0..<3).map { _ in try second.make(thread: .owned) }
                defer { for other in others { other.dispose() } }
                let server = try DNSServer(own) { [$0.addresses("192.0.2.1", "2001:db8::1")] }
                var settings = AresSettings()
                settings.servers = [server.address]
                let resolver = AresResolver(loop: own, settings: settings)
                let (done, elsewhere, found) = (Latch(300), Box(0), Box(0))
                for number in 0..<300 {
                    let loop = others[number % 3]
                    resolver.resolver.addresses(of: "web\(number % 10).test", port: 80, loop: loop).subscribe(
                        onValue: { addresses in
                            if !loop.isCurrent { elsewhere.increment() }
                            if addresses.count == 2 { found.increment() }
                        },
                        onTermination: { _ in done.arrive() }
                    )
                }
                try done.wait("300 answers")
                #expect(found.value == 300 && elsewhere.value == 0)
                resolver.dispose()
            }

            @Test("Cancelling and disposing on other threads lose nothing and leave nothing", arguments: LoopKind.all)
            func races(_ kind: LoopKind) throws {
                let loop = try kind.make(thread: .owned)
                defer { loop.dispose() }
                let server = try DNSServer(loop) { query in
                    query.name.hasPrefix("silent") ? [] : [query.addresses("192.0.2.1", "2001:db8::1", ttl: 0)]
                }
                for round in 0..<30 {
                    var settings = AresSettings()
                    settings.servers = [server.address]
                    settings.maximumConcurrency = 4
                    let resolver = AresResolver(loop: loop, settings: settings)
                    let values = resolver.resolver
                    let counted = Latch(2 * 20)
                    let threads = (0..<2).map { thread in
                        TestThread {
                            for number in 0..<20 {
                                let name = number % 5 == 0 ? "silent\(number).test" : "web\(thread * number % 7).test"
                                let subscription = values.addresses(of: name, port: 1, loop: loop).subscribe(
                                    onValue: { _ in },
                                    onTermination: { _ in }
                                )
                                if number % 3 == 0 { subscription.dispose() }
                                values.addresses(of: name, port: 1, loop: loop)
                                    .subscribe(onValue: { _ in }, onTermination: { _ in counted.arrive() })
                            }
                        }
                    }
                    if round % 2 == 0 { resolver.dispose() }
                    for thread in threads { try thread.join() }
                    resolver.dispose()
                    try counted.wait("the end of each look-up")
                }
            }
        }
    }
#endif
