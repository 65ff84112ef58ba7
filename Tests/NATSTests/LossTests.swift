// SPDX-License-Identifier: MIT
#if NATS
    import LoopTestSupport
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    extension NATSTests {
        /// Failures of discarded results are reported once, and nothing is left after the loop has been disposed.
        @Suite struct LossTests {
            private struct Mine: Error {
                let number = Int.random(in: 0...Int.max)
            }

            private func recorder(_ text: String) -> FailureRecorder {
                FailureRecorder { failure in (failure.error as? NATSError)?.message.contains(text) == true }
            }

            @Test("A discarded publish(from:) reports the failure of its source", arguments: LoopKind.all)
            func source(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let mine = Mine()
                    let recorder = recorder("\(mine.number)")
                    #expect(
                        try await failure(of: client.publish(from: Signal<NATSMessage, Mine>.fail(mine)))?.code
                            == .sourceFailed
                    )
                    #expect(recorder.operations.isEmpty)
                    client.publish(from: Signal<NATSMessage, Mine>.fail(mine))
                    try await eventually("a report") { !recorder.failures.isEmpty }
                    #expect(recorder.operations == ["NATSClient.publish(from:)"])
                }
            }

            @Test("A discarded publish(from:) retains the client until it has been confirmed", arguments: LoopKind.all)
            func retaining(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let heard = try await bench.client().record("x")
                    let source = Subject<NATSMessage, Never>()
                    let states = Recorder<NATSState>()
                    try await {
                        let client = try await bench.client()
                        client.state.signal.subscribe(onValue: { states.append($0) })
                        client.publish(from: source)
                    }()
                    for number in 0..<100 { source.send(NATSMessage(Bytes("\(number)"), to: "x")) }
                    try await eventually("the messages") { heard.messages.count == 100 }
                    #expect(states.values == [.connected])
                    source.complete()
                    try await eventually("the end of the client") { states.values.last == .closed(nil) }
                }
            }

            @Test("A request that the client refuses fails once and is not reported", arguments: LoopKind.all)
            func refused(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let subject = "no subject \(Int.random(in: 0...Int.max))"
                    let recorder = recorder(subject)
                    #expect(
                        try await failure(of: client.request(NATSMessage("?", to: subject)))?.code == .invalidSubject
                    )
                    _ = try await client.flush().last()
                    try bench.loop.sync()
                    #expect(recorder.operations.isEmpty)
                    #expect(client.statistics.refused == 1)
                }
            }

            @Test("A request that is refused when the client connects fails with the reason", arguments: LoopKind.all)
            func late(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let url = bench.server.url
                    let recording = Recording()
                    let subject = "late.\(Int.random(in: 0...Int.max))"
                    let recorder = recorder(subject)
                    let large = Bytes.letters(2 * 1024 * 1024)
                    let loop = bench.loop
                    // In one job, so that the request is queued before the connection exists.
                    loop.execute {
                        let client = NATSClient(to: [url], on: loop, options: .quick)
                        client.request(NATSMessage(large, to: subject), timeout: .seconds(3600)).subscribe(
                            onValue: { _ in },
                            onTermination: { recording.end.value = $0 }
                        )
                    }
                    try await eventually("the end") { recording.end.value != nil }
                    #expect(recording.failure?.code == .messageTooLarge)
                    try loop.sync()
                    #expect(recorder.operations.isEmpty)
                }
            }

            @Test("A discarded publication to a stream is reported if it fails", arguments: LoopKind.all)
            func jetStream(kind: LoopKind) async throws {
                try await withBench(kind, NATSServer("-js")) { bench in
                    let client = try await bench.client()
                    let subject = "lost.\(Int.random(in: 0...Int.max))"
                    let recorder = recorder(subject)
                    #expect(try await failure(of: client.jetStream.publish("x", to: subject))?.code == .streamMissing)
                    client.jetStream.publish("x", to: subject)
                    try await eventually("a report") { !recorder.failures.isEmpty }
                    client.jetStream.publish("x", to: subject + ".*")
                    try await eventually("a report") { recorder.failures.count == 2 }
                    // Subscribers of `events` receive refusals, but not the failures that the server reports.
                    client.events.subscribe(onValue: { _ in })
                    client.jetStream.publish("x", to: subject + ".*")
                    client.jetStream.publish("x", to: subject)
                    try await eventually("a report") { recorder.failures.count == 3 }
                    _ = try await client.flush().last()
                    try bench.loop.sync()
                    #expect(recorder.operations == Array(repeating: "JetStream.publish", count: 3))
                }
            }

            @Test("Disposing the loop releases a client that is connecting", arguments: LoopKind.all)
            func connecting(kind: LoopKind) async throws {
                // The kernel accepts the connection, but no server answers.
                let silent = RawSocket.listener()
                defer { Descriptor.close(silent.descriptor) }
                let loop = try kind.make(thread: .owned)
                let released = Box(false)
                let options = NATSOptions(connectTimeout: .seconds(5))
                try {
                    let canary = Canary { released.value = true }
                    NATSClient.connect(to: ["nats://\(silent.address)"], on: loop, options: options)
                        .subscribe(onValue: { _ in }, onTermination: { _ in canary.sing() })
                    try loop.sync()
                }()
                loop.dispose()
                try await eventually("the release") { released.value }
            }

            @Test(
                "Disposing the loop after the client has closed releases a paused subscriber",
                arguments: LoopKind.all,
                [0, 5]
            )
            func paused(kind: LoopKind, waiting: Int) async throws {
                let server = try await NATSServer()
                defer { server.end() }
                let loop = try kind.make(thread: .owned)
                let released = Box(false)
                try await {
                    let canary = Canary { released.value = true }
                    let client = NATSClient(to: [server.url], on: loop, options: .quick)
                    let subscription = SignalSubscription()
                    client.subscribe("x").subscribe(
                        in: subscription,
                        onValue: { _ in },
                        onTermination: { _ in canary.sing() }
                    )
                    _ = subscription.pause()
                    for _ in 0..<waiting { client.publish("1", to: "x") }
                    _ = try await client.flush().last()
                    try await eventually("the messages") { client.statistics.received == waiting }
                    client.close()
                    try await eventually("the end") { client.state.value == .closed(nil) }
                    try loop.sync()
                    try loop.sync()
                }()
                // Without messages that the pause delays, the failure has been delivered.
                if waiting > 0 { #expect(!released.value) }
                loop.dispose()
                try await eventually("the release") { released.value }
            }

            @Test("A client that closes while its loop is disposed releases its readers", arguments: LoopKind.all)
            func readers(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let released = Box(0)
                    try await {
                        let client = try await bench.client()
                        let loop = bench.loop
                        let canaries = (0..<2).map { _ in Canary { released.increment() } }
                        // In one job, so that the loop is disposed before the client has released its readers.
                        loop.execute {
                            client.jetStream.read("late")
                                .subscribe(onValue: { _ in }, onTermination: { _ in canaries[0].sing() })
                            NATSClient.connect(to: [bench.server.url], on: loop)
                                .subscribe(onValue: { _ in }, onTermination: { _ in canaries[1].sing() })
                            loop.dispose()
                            client.close()
                        }
                    }()
                    try await eventually("the release") { released.value == 2 }
                }
            }

            @Test("On a disposed loop, the events of a client complete", arguments: LoopKind.all)
            func events(kind: LoopKind) throws {
                let loop = try kind.make(thread: .owned)
                let client = NATSClient(to: ["nats://127.0.0.1:1"], on: loop)
                let events = client.events
                loop.dispose()
                let ended = Box(0)
                for events in [events, client.events] {
                    events.subscribe(onValue: { _ in }, onTermination: { _ in ended.increment() })
                }
                #expect(ended.value == 2)
            }
        }
    }
#endif
