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
        /// Readers of a stream that the test itself plays: the server has no JetStream.
        @Suite struct ReaderTests {
            @Test("A reader re-creates its consumer after the last message before a gap", arguments: LoopKind.all)
            func gap(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let stream = try await PlayedStream(client)
                    stream.record(client.jetStream.read("S"))
                    try await eventually("the request") { stream.requests.count == 2 }
                    try stream.deliver("first", at: "c.1.7.1.0.0")
                    try stream.deliver("third", at: "c.1.9.3.0.0")
                    try await eventually("the second consumer") {
                        stream.requests.count == 4 || stream.messages.count == 2
                    }
                    #expect(stream.messages.values == ["first"])
                    #expect(stream.names == ["CREATE.S", "MSG.NEXT.S.c", "DELETE.S.c", "CREATE.S"])
                    let settings = try #require(stream.requests.values.last?.payload)
                    #expect(String(settings).contains("\"opt_start_seq\":8"))
                    // Without a second consumer there is nothing more to delete.
                    stream.reader.dispose()
                    _ = try await client.flush().last()
                    #expect(stream.requests.count == 4)
                }
            }

            @Test(
                "A reader that has received nothing re-creates its consumer after the messages that existed at its start",
                arguments: LoopKind.all
            )
            func beginning(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let stream = try await PlayedStream(client, lastSequence: 10)
                    stream.record(client.jetStream.read("S", from: .new))
                    try await eventually("the request") { stream.requests.count == 2 }
                    // The server deletes the consumer. Messages may be stored before the next one exists.
                    let reply = try #require(stream.requests.values.last?.reply)
                    client.publish(NATSMessage("", to: reply, headers: ["Status": "409"]))
                    try await eventually("the second consumer") { stream.requests.count == 4 }
                    #expect(stream.names == ["CREATE.S", "MSG.NEXT.S.c", "DELETE.S.c", "CREATE.S"])
                    let settings = try #require(stream.requests.values.last?.payload)
                    #expect(String(settings).contains("\"opt_start_seq\":11"))
                    stream.reader.dispose()
                }
            }

            @Test(
                "A durable subscription that is disposed inside its own value returns the messages behind it",
                arguments: LoopKind.all,
                [false, true]
            )
            func returned(kind: LoopKind, isPaused: Bool) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let answers = try await client.record("$JS.ACK.>")
                    let stream = try await PlayedStream(client)
                    stream.record(client.jetStream.consume("S", NATSConsumerSettings("c")))
                    try await eventually("the request") { stream.requests.count == 2 }
                    let pause = isPaused ? stream.reader.pause() : nil
                    stream.endsAtFirst.value = !isPaused
                    let positions = (1...3).map { "c.1.\($0).\($0).0.0" }
                    let request = stream.requests.values.last
                    try client.deliver("m", at: positions, for: request)
                    if isPaused { stream.reader.dispose() }
                    try await eventually("the answers") { answers.messages.count == (isPaused ? 3 : 2) }
                    #expect(Set(answers.texts) == ["-NAK"])
                    let returned = positions.dropFirst(isPaused ? 0 : 1).map { "$JS.ACK.S.\($0)" }
                    #expect(answers.messages.values.map(\.subject) == returned)
                    #expect(stream.messages.count == (isPaused ? 0 : 1))
                    withExtendedLifetime(pause) {}
                }
            }

            /// Each short connection of a paused reader leaves a request at the server.
            @Test("A paused durable reader returns messages above its limit, and continues", arguments: LoopKind.all)
            func excess(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let answers = try await client.record("$JS.ACK.>")
                    let stream = try await PlayedStream(client)
                    stream.record(client.jetStream.consume("S", NATSConsumerSettings("c"), batch: 2))
                    try await eventually("the request") { stream.requests.count == 2 }
                    let pause = stream.reader.pause()
                    // Eight batches, and three messages.
                    let positions = (1...19).map { "c.1.\($0).\($0).0.0" }
                    try client.deliver("m", at: positions, for: stream.requests.values.last)
                    try await eventually("the answers") { answers.messages.count == 3 }
                    #expect(answers.messages.values.map(\.subject) == positions.suffix(3).map { "$JS.ACK.S.\($0)" })
                    #expect(Set(answers.texts) == ["-NAK {\"delay\":30000000000}"])
                    pause.dispose()
                    try await eventually("the messages") { stream.messages.count == 16 }
                    #expect(stream.end.value == nil)
                }
            }

            @Test("A reader fails if the position of a message is malformed", arguments: LoopKind.all)
            func malformedPosition(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let stream = try await PlayedStream(client)
                    stream.record(client.jetStream.read("S"))
                    try await eventually("the request") { stream.requests.count == 2 }
                    try stream.deliver("malformed", at: "c.1.1.1")
                    try stream.deliver("next", at: "c.1.1.1.0.0")
                    try await eventually("the end") { stream.end.value != nil || stream.messages.count == 1 }
                    #expect(stream.end.value?.code == .malformed)
                }
            }

            @Test("A reader that resumes during a reconnect requests messages afterwards", arguments: LoopKind.all)
            func reconnect(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    var options = NATSOptions.quick
                    // The client refuses what cannot be sent immediately.
                    options.reconnectBuffer = 0
                    let client = try await bench.client(options)
                    let stream = try await PlayedStream(client)
                    let pause = stream.reader.pause()
                    stream.record(client.jetStream.consume("S", NATSConsumerSettings("d")))
                    try await eventually("the consumer") { stream.requests.count == 1 }
                    // The reply to this request follows the reply that names the consumer.
                    _ = try await client.request(NATSMessage("", to: "$JS.API.CONSUMER.other")).last()
                    try await bench.disconnect(client)
                    pause.dispose()
                    try bench.loop.sync()
                    #expect(client.statistics.refused == 0)
                    try await bench.server.start()
                    try await eventually("the requests") { stream.requests.count == 4 }
                    #expect(stream.names == ["DURABLE.CREATE.S.d", "other", "MSG.NEXT.S.c", "INFO.S.d"])
                }
            }

            /// The client has no buffer. So it refuses a message immediately if another one waits although the client is up.
            @Test(
                "A reader repeats a request that the client has refused immediately",
                arguments: LoopKind.all,
                [false, true]
            )
            func refusal(kind: LoopKind, isDurable: Bool) async throws {
                try await withBench(kind) { bench in
                    var options = NATSOptions.quick
                    options.reconnectBuffer = 0
                    let client = try await bench.client(options)
                    let stream = try await PlayedStream(client)
                    let js = client.jetStream
                    stream.record(isDurable ? js.consume("S", NATSConsumerSettings("d")) : js.read("S"))
                    try await eventually("the request") { stream.requests.count == 2 }
                    let refused = client.statistics.refused
                    bench.loop.execute { [core = client.core] in
                        core.value.waiting.append((NATSMessage("", to: "a"), nil))
                        for feed in core.value.feeds { feed.onUp?() }
                        _ = core.value.waiting.popFirst()
                        for feed in core.value.feeds { feed.onUp?() }
                    }
                    try await eventually("the requests") { stream.requests.count == (isDurable ? 4 : 3) }
                    #expect(client.statistics.refused == refused + 2)
                    #expect(stream.names.last == (isDurable ? "INFO.S.d" : "CREATE.S"))
                }
            }

            @Test("A reader that ends before it retries leaves no timer", arguments: LoopKind.all)
            func retry(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let stream = try await PlayedStream(client)
                    stream.record(client.jetStream.read("S"))
                    try await eventually("the request") { stream.requests.count == 2 }
                    let reply = try #require(stream.requests.values.last?.reply)
                    client.publish(NATSMessage("", to: reply, headers: ["Status": "409"]))
                    _ = try await client.flush().last()
                    client.close()
                    try await eventually("the end") { stream.end.value?.code == .closed }
                    try bench.loop.expectNothingLeft()
                }
            }
        }
    }

    /// The stream "S", which a client plays for its own reader. The first consumer is named "c", and the creation of another
    /// one gets no reply.
    private final class PlayedStream: Sendable {
        let reader = SignalSubscription()
        let messages = Recorder<String>()
        let end = Box<NATSError?>(nil)
        /// Whether the reader is disposed inside its first message.
        let endsAtFirst = Box(false)
        let requests = Recorder<NATSMessage>()
        private let client: NATSClient
        private static let prefix = "$JS.API.CONSUMER."

        /// With `lastSequence`, the reply that names the consumer contains its position.
        init(_ client: NATSClient, lastSequence: Int? = nil) async throws {
            self.client = client
            let position = lastSequence.map { ",\"delivered\":{\"consumer_seq\":0,\"stream_seq\":\($0)}" } ?? ""
            let creations = Box(0)
            client.subscribe("\(Self.prefix)>").subscribe(
                onValue: { [requests, weak client] request in
                    requests.append(request)
                    if request.subject.contains(".MSG.NEXT.") { return }
                    if request.subject.contains("CREATE.") {
                        creations.increment()
                        if creations.value > 1 { return }
                    }
                    client?.answer(request, with: "{\"name\":\"c\"\(position)}")
                },
                onTermination: { _ in }
            )
            _ = try await client.flush().last()
        }

        /// The names of the requests.
        var names: [String] { requests.values.map { String($0.subject.dropFirst(Self.prefix.count)) } }

        func record(_ signal: Signal<JetStreamMessage, NATSError>) {
            signal.subscribe(
                in: reader,
                onValue: { [messages, endsAtFirst, reader] in
                    messages.append(String($0.payload))
                    if endsAtFirst.value { reader.dispose() }
                },
                onTermination: { [end] in if case .failed(let error) = $0 { end.value = error } }
            )
        }

        /// Passes a message to the reader after its last request for messages.
        func deliver(_ text: String, at position: String) throws {
            let request = requests.values.last { $0.subject.contains(".MSG.NEXT.") }
            try client.deliver(text, at: position, for: request)
        }
    }
#endif
