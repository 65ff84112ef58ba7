// SPDX-License-Identifier: MIT
#if NATS
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance
    import Testing

    @testable import ReactiveNATS

    extension NATSTests {
        @Suite struct ReconnectingTests {
            /// Runs `body` with a client whose reconnect buffer has 10 000 bytes.
            private func withSmallBuffer(
                _ kind: LoopKind,
                _ body: (NATSBench, NATSClient) async throws -> Void
            ) async throws {
                try await withBench(kind) { bench in
                    var options = NATSOptions.quick
                    options.reconnectBuffer = 10_000
                    try await body(bench, bench.client(options))
                }
            }

            @Test("Messages published while reconnecting arrive in order", arguments: LoopKind.all)
            func whatIsPublishedMeanwhileArrivesInOrder(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let recording = try await client.record("x")
                    let states = Recorder<NATSState>()
                    client.state.signal.subscribe(onValue: { states.append($0) })
                    try await bench.disconnect(client)
                    for number in 0..<1000 { client.publish(Bytes("\(number)"), to: "x") }
                    let late = try await client.recordLater("x")
                    try await bench.server.start()
                    try await eventually("all") { recording.messages.count == 1000 && late.messages.count == 1000 }
                    #expect(recording.texts == (0..<1000).map { "\($0)" })
                    #expect(late.texts == recording.texts)
                    #expect(states.values == [.connected, .reconnecting, .connected])
                    #expect(client.statistics.reconnects == 1)
                    #expect(client.statistics.unconfirmed == 0)
                }
            }

            @Test("A publication to a stream that exceeds the reconnect buffer fails", arguments: LoopKind.all)
            func fullBuffer(kind: LoopKind) async throws {
                try await withSmallBuffer(kind) { bench, client in
                    try await bench.disconnect(client)
                    let payload = Bytes.letters(1000)
                    let refusals = Recorder<NATSError.Code>()
                    for _ in 0..<20 {
                        client.jetStream.publish(payload, to: "x").subscribe(
                            onValue: { _ in },
                            onTermination: { if case .failed(let error) = $0 { refusals.append(error.code) } }
                        )
                    }
                    try bench.loop.sync()
                    // Each counts with its headers and its reply subject. They and plain publications share the buffer.
                    #expect(refusals.values == Array(repeating: .bufferFull, count: 12))
                    client.publish(payload, to: "x")
                    try bench.loop.sync()
                    #expect(client.statistics.refused == 13)
                }
            }

            @Test("Publications under way and a paused source leave room in the buffer", arguments: LoopKind.all)
            func roomInBuffer(kind: LoopKind) async throws {
                try await withSmallBuffer(kind) { bench, client in
                    let recording = try await client.record("x")
                    // No stream answers it.
                    client.jetStream.publish(.letters(9000), to: "x")
                    try await eventually("the publication") { recording.messages.count == 1 }
                    try await bench.disconnect(client)
                    // More than half of the buffer, so a source waits.
                    client.jetStream.publish(.letters(6000), to: "x")
                    let message = NATSMessage(.letters(100), to: "x")
                    client.publish(from: Signal<NATSMessage, Never>(values: Array(repeating: message, count: 100)))
                        .subscribe(onTermination: { _ in })
                    try bench.loop.sync()
                    #expect(client.statistics.refused == 0)
                }
            }

            @Test("An observer of a refused publication may publish what fits", arguments: LoopKind.all)
            func publishingInRefusal(kind: LoopKind) async throws {
                try await withSmallBuffer(kind) { bench, client in
                    try await bench.disconnect(client)
                    let refusals = Box(0)
                    client.events.subscribe(onValue: { [weak client] event in
                        guard case .refused = event, refusals.value < 3 else { return }
                        refusals.increment()
                        client?.publish("refused", to: "x")
                    })
                    for count in [9000, 6000] {
                        client.jetStream.publish(.letters(count), to: "x")
                    }
                    try bench.loop.sync()
                    #expect(refusals.value == 1 && client.statistics.refused == 1)
                }
            }

            @Test("A message that exceeds the reconnect buffer fails immediately", arguments: LoopKind.all)
            func whatDoesNotFitWaitsNot(kind: LoopKind) async throws {
                try await withSmallBuffer(kind) { bench, client in
                    let recording = try await client.record("x")
                    try await bench.disconnect(client)
                    let payload = Bytes.letters(1000)
                    let results = (0..<20).map { _ in client.publish(payload, to: "x") }
                    try bench.loop.sync()
                    try #require(client.statistics.refused == 11)
                    try await bench.server.start()
                    var refused = 0
                    for result in results {
                        guard let error = try await failure(of: result) else { continue }
                        #expect(error.code == .bufferFull)
                        refused += 1
                    }
                    #expect(refused == 11)
                    try await eventually("the others") { recording.messages.count == 9 }
                }
            }

            /// Without JetStream some messages are lost, and the client reports an upper bound. Here the publisher
            /// also subscribes, so it has received everything that the server confirmed.
            @Test(
                "After a server is killed, the client reports how many messages are unconfirmed",
                arguments: LoopKind.all
            )
            func aServerKilledInTheMiddle(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let recording = try await client.record("x")
                    let reported = Box(0)
                    client.events.subscribe(onValue: { event in
                        if case .unconfirmed(let count) = event { reported.update { $0 += count } }
                    })
                    var count = 0
                    func publish(_ more: Int) {
                        for _ in 0..<more {
                            client.publish(Bytes("\(count)"), to: "x")
                            count += 1
                        }
                    }
                    for _ in 0..<20 {
                        publish(Platform.rounds(5000))
                        _ = try await client.flush().last()
                    }
                    let confirmed = client.statistics.published
                    publish(Platform.rounds(50_000))
                    try await eventually("a part of it") {
                        client.statistics.published > confirmed + Platform.rounds(5000)
                    }
                    try await bench.disconnect(client)
                    publish(Platform.rounds(5000))
                    try await bench.server.start()
                    _ = try await client.flush().last()
                    publish(Platform.rounds(5000))
                    _ = try await client.flush().last()
                    let numbers = recording.texts.compactMap { Int($0) }
                    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
                    let lost = count - numbers.count
                    let statistics = client.statistics
                    #expect(lost <= statistics.unconfirmed)
                    #expect(statistics.refused == 0)
                    #expect(statistics.published == count)
                    #expect(statistics.confirmed + statistics.unconfirmed == count)
                    #expect(statistics.unconfirmed == reported.value)
                    #expect(statistics.unconfirmed < count)
                    #expect(numbers.last == count - 1)
                }
            }

            @Test(
                "With no reconnects allowed, the client closes when its server is killed",
                arguments: LoopKind.all
            )
            func oneThatMayNotReconnectEnds(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    var options = NATSOptions.quick
                    options.maximumReconnects = 0
                    let client = try await bench.client(options)
                    let recording = try await client.record("x")
                    bench.server.kill()
                    try await eventually("the end") { client.state.value.isClosed && recording.end.value != nil }
                    #expect(client.state.value != .closed(nil))
                    #expect(recording.failure != nil)
                }
            }

            @Test("A client that cannot reconnect closes after its last attempt", arguments: LoopKind.all)
            func oneThatFindsNoServerAgainEnds(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    var options = NATSOptions.quick
                    options.maximumReconnects = 3
                    let client = try await bench.client(options)
                    let waiting = client.state.signal
                    let states = Recorder<NATSState>()
                    waiting.subscribe(onValue: { states.append($0) })
                    bench.server.kill()
                    try await eventually("the end") { client.state.value.isClosed }
                    #expect(states.values.prefix(2) == [.connected, .reconnecting])
                    #expect(client.state.value == .closed(NATSError(.noServer, "")))
                    #expect(try await failure(of: client.publish("x", to: "x"))?.code == .noServer)
                }
            }

            @Test(
                "A request that has ended meanwhile is not sent, and leaves room in the buffer",
                arguments: LoopKind.all,
                [false, true]
            )
            func endedRequests(kind: LoopKind, isDisposed: Bool) async throws {
                try await withSmallBuffer(kind) { bench, client in
                    let recording = try await client.record("x")
                    try await bench.disconnect(client)
                    let ended = Box(0)
                    for _ in 0..<10 {
                        let subscriptions = (0..<9).map { _ in SignalSubscription() }
                        for subscription in subscriptions {
                            let timeout = isDisposed ? Duration.seconds(600) : .milliseconds(1)
                            client.request(NATSMessage(.letters(900), to: "x"), timeout: timeout).subscribe(
                                in: subscription,
                                onValue: { _ in },
                                onTermination: { _ in ended.increment() }
                            )
                        }
                        if isDisposed {
                            for subscription in subscriptions { subscription.dispose() }
                        } else {
                            try await eventually("time-outs") { ended.value == subscriptions.count }
                            ended.value = 0
                        }
                    }
                    client.publish("last", to: "x")
                    try await bench.server.start()
                    try await eventually("the message") { recording.messages.count > 0 }
                    _ = try await client.flush().last()
                    #expect(recording.texts == ["last"])
                    #expect(client.statistics.refused == 0)
                }
            }

            @Test("A flush is behind all messages that waited, also if one is observed", arguments: LoopKind.all)
            func flushBehindWaiting(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    try await bench.disconnect(client)
                    let confirmed = Box(-1)
                    client.publish(.letters(1000), to: "x").subscribe(onTermination: { _ in })
                    for _ in 1..<1000 { client.publish(.letters(1000), to: "x") }
                    client.flush().subscribe(onTermination: { _ in confirmed.value = client.statistics.confirmed })
                    try await bench.server.start()
                    try await eventually("the flush") { confirmed.value >= 0 }
                    #expect(confirmed.value == 1000)
                }
            }

            @Test("A flush that was disposed while there is no connection is forgotten", arguments: LoopKind.all)
            func disposedFlush(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    try await bench.disconnect(client)
                    let subscriptions = (0..<100).map { _ in SignalSubscription() }
                    for subscription in subscriptions {
                        client.flush().subscribe(in: subscription, onTermination: { _ in })
                    }
                    let core = client.core
                    let counts = Recorder<Int>()
                    bench.loop.execute { counts.append(core.value.flushes.count) }
                    try bench.loop.sync()
                    for subscription in subscriptions { subscription.dispose() }
                    bench.loop.execute { counts.append(core.value.flushes.count) }
                    try bench.loop.sync()
                    #expect(counts.values == [100, 0])
                }
            }

            @Test("Sources that begin while the buffer is full lose nothing", arguments: LoopKind.all)
            func manySources(kind: LoopKind) async throws {
                try await withSmallBuffer(kind) { bench, client in
                    let recording = try await client.record("x")
                    try await bench.disconnect(client)
                    let ended = Box(0)
                    let message = NATSMessage(.letters(4000), to: "x")
                    for _ in 0..<10 {
                        client.publish(from: Signal<NATSMessage, Never>(values: [message, message, message]))
                            .subscribe(onTermination: { _ in ended.increment() })
                    }
                    try bench.loop.sync()
                    try await bench.server.start()
                    try await eventually("the ends") { ended.value == 10 }
                    try await eventually("all messages") { recording.messages.count == 30 }
                    #expect(client.statistics.refused == 0)
                }
            }

            @Test("A source that publishes to a stream waits in an outage", arguments: LoopKind.all)
            func streamSource(kind: LoopKind) async throws {
                try await withSmallBuffer(kind) { bench, client in
                    try await bench.disconnect(client)
                    let codes = Recorder<NATSError.Code>()
                    let message = NATSMessage(.letters(4000), to: "x")
                    client.jetStream
                        .publish(from: Signal<NATSMessage, NATSError>(values: Array(repeating: message, count: 20)))
                        .subscribe(
                            onValue: { _ in },
                            onTermination: {
                                if case .failed(let error) = $0 { codes.append(error.code) }
                            }
                        )
                    try bench.loop.sync()
                    #expect(codes.count == 0)
                    try await bench.server.start()
                    // No stream stores the subject.
                    try await eventually("the answer") { codes.count == 1 }
                    #expect(codes.values == [.streamMissing] || codes.values == [.noJetStream])
                }
            }
        }
    }

    extension NATSClient {
        /// Subscribes while there is no connection, so that the subscription cannot be confirmed.
        fileprivate func recordLater(_ subject: String) async throws -> Recording {
            let recording = Recording()
            let isAdded = Latch()
            subscribe(subject).subscribe(
                in: recording.subscription,
                onValue: { recording.messages.append($0) },
                onTermination: { recording.end.value = $0 }
            )
            loop.execute { isAdded.arrive() }
            try await eventually("a turn") { isAdded.isOpen }
            return recording
        }
    }
#endif
