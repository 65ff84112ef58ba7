// SPDX-License-Identifier: MIT
#if NATS
    import LoopTestSupport
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    @testable import ReactiveNATS

    extension NATSTests {
        /// Readers whose requests JetStream does not answer, after a reconnect or during a connection.
        @Suite struct SilenceTests {
            /// Longer than two heartbeats and the interval at which a reader looks for them.
            private static let silence = Duration.seconds(15)
            private static let exists = Answer(text: "{\"name\":\"c\"}")
            private static let noLeader = Answer(
                text: "{\"error\":{\"code\":503,\"err_code\":10008,\"description\":\"temporarily unavailable\"}}"
            )
            private static let missing = Answer(
                text: "{\"error\":{\"code\":404,\"err_code\":10014,\"description\":\"consumer not found\"}}"
            )

            // MARK: A server with JetStream

            @Test(
                "A durable subscription fails if its consumer was deleted while the client was disconnected",
                arguments: LoopKind.all,
                [false, true]
            )
            func deletedConsumer(kind: LoopKind, isPaused: Bool) async throws {
                try await withSteps(kind, NATSServer("-js")) { bench, stepped in
                    let js = try await bench.client().jetStream
                    _ = try await js.create(NATSStreamSettings("S", subjects: ["s"])).last()
                    _ = try await js.publish("1", to: "s").last()
                    let reading = Reading()
                    reading.start(stepped.client.jetStream.consume("S", NATSConsumerSettings("c")))
                    try await stepped.turns { reading.texts.count == 1 }
                    let pause = isPaused ? reading.subscription.pause() : nil
                    try await stepped.disconnect()
                    try await bench.server.start()
                    _ = try await bench.client().jetStream.deleteConsumer("c", of: "S").last()
                    try await stepped.reconnect()
                    pause?.dispose()
                    try await stepped.turns { reading.end.value != nil }
                    #expect(reading.end.value?.code == .consumerMissing)
                    #expect(stepped.client.isConnected)
                }
            }

            @Test(
                "A reader fails if a restarted server has lost its stream",
                arguments: LoopKind.all,
                [false, true]
            )
            func lostStream(kind: LoopKind, isDurable: Bool) async throws {
                try await withSteps(kind, NATSServer("-js")) { bench, stepped in
                    let js = try await bench.client().jetStream
                    _ = try await js.create(NATSStreamSettings("S", subjects: ["s"], storage: .memory)).last()
                    _ = try await js.publish("1", to: "s").last()
                    let reading = Reading()
                    reading.start(stepped.client, isDurable)
                    try await stepped.turns { reading.texts.count == 1 }
                    try await stepped.disconnect()
                    try await bench.server.start()
                    try await stepped.reconnect()
                    try await stepped.turns { reading.end.value != nil }
                    #expect(reading.end.value?.code == .streamMissing)
                }
            }

            @Test("A reader fails if a shorter stream has replaced its stream", arguments: LoopKind.all)
            func replacedStream(kind: LoopKind) async throws {
                let settings = NATSStreamSettings("S", subjects: ["s"], storage: .memory)
                try await withSteps(kind, NATSServer("-js")) { bench, stepped in
                    let js = try await bench.client().jetStream
                    _ = try await js.create(settings).last()
                    for text in ["1", "2"] as [Bytes] { _ = try await js.publish(text, to: "s").last() }
                    let reading = Reading()
                    reading.start(stepped.client, false)
                    try await stepped.turns { reading.texts.count == 2 }
                    try await stepped.disconnect()
                    try await bench.server.start()
                    let other = try await bench.client().jetStream
                    _ = try await other.create(settings).last()
                    _ = try await other.publish("1", to: "s").last()
                    // The reader deletes its consumer. Each time it creates another one, and deletes that one too.
                    try await stepped.receive(3) { try await stepped.reconnect() }
                    for delay in [Duration.milliseconds(100), Self.silence] {
                        try await stepped.receive(2) { stepped.clock.advance(by: delay) }
                    }
                    try await expectFailure(.streamMissing, of: reading, stepped)
                }
            }

            /// The server reports a deletion only to pending requests, and a paused subscriber has none.
            @Test(
                "A durable subscription fails after two missed heartbeats if its consumer was deleted during a pause",
                arguments: LoopKind.all
            )
            func deletedDuringPause(kind: LoopKind) async throws {
                try await withSteps(kind, NATSServer("-js")) { bench, stepped in
                    let js = try await bench.client().jetStream
                    _ = try await js.create(NATSStreamSettings("S", subjects: ["s"])).last()
                    let reading = Reading()
                    let pause = reading.subscription.pause()
                    reading.start(stepped.client, true)
                    var consumers = 0
                    for _ in 0..<1000 where consumers != 1 {
                        try stepped.loop.turns(10)
                        consumers = try await js.stream("S").last()?.consumers ?? 0
                    }
                    try #require(consumers == 1)
                    _ = try await js.deleteConsumer("c", of: "S").last()
                    pause.dispose()
                    try await stepped.turns { stepped.client.statistics.published == 2 }
                    try await expectFailure(.consumerMissing, of: reading, stepped)
                }
            }

            // MARK: JetStream that the test plays

            @Test(
                "A reader fails with timedOut after four requests without a message or a heartbeat",
                arguments: LoopKind.all,
                [false, true]
            )
            func silence(kind: LoopKind, isDurable: Bool) async throws {
                try await withSteps(kind) { bench, stepped in
                    // No answer to CONSUMER.INFO and to requests for messages.
                    let (played, reading) = try await play(bench.client(), stepped, isDurable: isDurable)
                    for round in 2...4 {
                        stepped.clock.advance(by: Self.silence)
                        try await stepped.turns { played.pulls.count == round }
                    }
                    // A heartbeat begins the count again.
                    try await stepped.receive(1) { try await played.send(["Status": "100"]) }
                    for round in 5...7 {
                        stepped.clock.advance(by: Self.silence)
                        try await stepped.turns { played.pulls.count == round }
                    }
                    try await expectFailure(.timedOut, of: reading, stepped)
                    #expect(stepped.client.isConnected)
                }
            }

            @Test("A reader whose consumer omits messages each time fails with malformed", arguments: LoopKind.all)
            func omissions(kind: LoopKind) async throws {
                try await withSteps(kind) { bench, stepped in
                    let (played, reading) = try await play(bench.client(), stepped)
                    for (round, delay) in [Duration.milliseconds(100), Self.silence, Self.silence].enumerated() {
                        try await stepped.turns { played.pulls.count == round + 1 }
                        // The first message is missing.
                        try stepped.client.deliver("x", at: "c.1.7.2.0.0", for: played.pulls.last)
                        try await stepped.receive(0) {}
                        #expect(played.pulls.count == round + 1 && reading.end.value == nil)
                        stepped.clock.advance(by: delay)
                    }
                    try await stepped.turns { played.pulls.count == 4 }
                    try stepped.client.deliver("x", at: "c.1.7.2.0.0", for: played.pulls.last)
                    try await stepped.turns { reading.end.value != nil }
                    #expect(reading.end.value?.code == .malformed)
                    #expect(reading.texts.count == 0)
                }
            }

            @Test("A reader that waits with the next consumer fails when the client closes", arguments: LoopKind.all)
            func closed(kind: LoopKind) async throws {
                try await withSteps(kind) { bench, stepped in
                    let (played, reading) = try await play(bench.client(), stepped)
                    try stepped.client.deliver("x", at: "c.1.7.2.0.0", for: played.pulls.last)
                    try await stepped.receive(0) {}
                    stepped.client.close()
                    try await stepped.turns { reading.end.value != nil }
                    #expect(reading.end.value?.code == .closed)
                }
            }

            @Test(
                "A reader asks a server that ends each request at once ten times per second",
                arguments: LoopKind.all,
                [("404", false), ("408", true)]
            )
            func expiry(kind: LoopKind, answer: (status: String, isDurable: Bool)) async throws {
                try await withSteps(kind) { bench, stepped in
                    let player = try await bench.client()
                    let played = try await PlayedJetStream(player)
                    played.answers = ["CREATE": Self.exists, "NEXT": Answer(headers: ["Status": answer.status])]
                    let reading = Reading()
                    try await stepped.receive(2) { reading.start(stepped.client, answer.isDurable) }
                    for round in 1...20 {
                        // The server receives this request after those of the reader.
                        try await stepped.receive(0) {}
                        _ = try await player.flush().last()
                        #expect(played.pulls.count == round)
                        try await stepped.receive(1) { stepped.clock.advance(by: .milliseconds(100)) }
                    }
                    #expect(reading.end.value == nil)
                }
            }

            /// nats-server answers in this way if a consumer with the same name pushes its messages.
            @Test(
                "A reader fails with refused after four refused requests, and sends no others",
                arguments: LoopKind.all,
                [false, true]
            )
            func refusals(kind: LoopKind, isDurable: Bool) async throws {
                try await withSteps(kind) { bench, stepped in
                    let played = try await PlayedJetStream(bench.client())
                    let refusal = Answer(headers: ["Status": "409", "Description": "Consumer is push based"])
                    played.answers = ["CREATE": Self.exists, "INFO": Self.exists, "NEXT": refusal]
                    let reading = Reading()
                    // Each time the reader receives a refusal and a response about its consumer.
                    try await stepped.receive(2) { reading.start(stepped.client, isDurable) }
                    for delay in [Duration.milliseconds(100), Self.silence] {
                        try await stepped.receive(2) { stepped.clock.advance(by: delay) }
                    }
                    try await expectFailure(.refused, of: reading, stepped)
                    #expect(reading.end.value?.message.contains("Consumer is push based") == true)
                    #expect(played.pulls.count == 4)
                }
            }

            @Test("A reader survives the election of a leader", arguments: LoopKind.all, [false, true])
            func election(kind: LoopKind, isDurable: Bool) async throws {
                try await withSteps(kind) { bench, stepped in
                    let (played, reading) = try await play(bench.client(), stepped, isDurable: isDurable)
                    played.answers = isDurable ? ["INFO": Self.noLeader] : ["CREATE": Self.noLeader]
                    try await stepped.receive(1) {
                        try await played.send(["Status": "409", "Description": "Leadership Change"])
                    }
                    try await stepped.receive(1) { stepped.clock.advance(by: .milliseconds(100)) }
                    try await stepped.receive(1) { stepped.clock.advance(by: Self.silence) }
                    played.answers = ["CREATE": Self.exists, "INFO": Self.exists]
                    let count = played.pulls.count
                    try await stepped.receive(1) { stepped.clock.advance(by: Self.silence) }
                    try await stepped.turns { played.pulls.count > count }
                    try await stepped.receive(1) { try await played.send(["Status": "100"]) }
                    #expect(reading.end.value == nil)
                }
            }

            /// A server of a cluster creates the second consumer before it has received the last message.
            @Test("A reader survives a server that receives messages late", arguments: LoopKind.all)
            func lateReplica(kind: LoopKind) async throws {
                let text: Bytes = "{\"name\":\"d\",\"delivered\":{\"consumer_seq\":0,\"stream_seq\":1}}"
                try await expectSurvival(of: Answer(text: text), kind)
            }

            /// A server before 2.4 sends no `err_code`.
            @Test(
                "A reader survives a refusal of its second consumer with the status 503",
                arguments: LoopKind.all,
                [
                    "\"err_code\":10023,\"description\":\"insufficient resources\"",
                    "\"err_code\":10004,\"description\":\"incomplete results\"",
                    "\"description\":\"JetStream system temporarily unavailable\"",
                ]
            )
            func unavailable(kind: LoopKind, error: String) async throws {
                try await expectSurvival(of: Answer(text: Bytes("{\"error\":{\"code\":503,\(error)}}")), kind)
            }

            @Test("A refusal because JetStream is disabled is not temporary", arguments: [10039, 10076])
            func disabled(number: Int) throws {
                let text = "{\"error\":{\"code\":503,\"err_code\":\(number)}}"
                let json = try #require(JSONReader.value(of: text.utf8))
                #expect(JetStream.failure(json, "asking")?.mayBeTemporary == false)
            }

            /// Starts a reader of a JetStream that `player` plays, and waits for its first request for messages. JetStream
            /// answers requests that create a consumer, and with `answersInfo` also those about a consumer.
            private func play(
                _ player: NATSClient,
                _ stepped: SteppedClient,
                isDurable: Bool = false,
                answersInfo: Bool = false
            ) async throws -> (PlayedJetStream, Reading) {
                let played = try await PlayedJetStream(player)
                played.answers = ["CREATE": Self.exists]
                if answersInfo { played.answers["INFO"] = Self.exists }
                let reading = Reading()
                reading.start(stepped.client, isDurable)
                try await stepped.turns { played.pulls.count == 1 }
                return (played, reading)
            }

            /// Expects that the reader fails with this code after another silence, and not before.
            private func expectFailure(
                _ code: NATSError.Code,
                of reading: Reading,
                _ stepped: SteppedClient,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async throws {
                #expect(reading.end.value == nil, sourceLocation: sourceLocation)
                stepped.clock.advance(by: Self.silence)
                try await stepped.turns { reading.end.value != nil }
                #expect(reading.end.value?.code == code, sourceLocation: sourceLocation)
            }

            /// Expects that a reader, after two messages and a gap, survives one such answer to the creation of its second
            /// consumer.
            private func expectSurvival(of answer: Answer, _ kind: LoopKind) async throws {
                try await withSteps(kind) { bench, stepped in
                    let (played, reading) = try await play(bench.client(), stepped)
                    played.answers = ["CREATE": answer]
                    let pull = played.pulls.last
                    try await stepped.receive(1) {
                        for number in [1, 2, 4] {
                            try stepped.client.deliver("\(number)", at: "c.1.\(number).\(number).0.0", for: pull)
                        }
                    }
                    #expect(reading.texts.values == ["1", "2"])
                    #expect(reading.end.value == nil)
                    played.answers = ["CREATE": Self.exists]
                    stepped.clock.advance(by: .milliseconds(100))
                    try await stepped.turns { played.pulls.count == 2 || reading.end.value != nil }
                    #expect(reading.end.value == nil)
                }
            }

            /// After a pause of the process the server still has the earlier requests. It sends no heartbeats, but reports
            /// each request that expires.
            @Test("A reader does not renew a request that it has replaced", arguments: LoopKind.all)
            func replacedRequests(kind: LoopKind) async throws {
                try await withSteps(kind) { bench, stepped in
                    let player = try await bench.client()
                    let (played, reading) = try await play(player, stepped, isDurable: true, answersInfo: true)
                    for round in 1...12 where reading.end.value == nil {
                        // The answer about the consumer, and a status except in the first round.
                        try await stepped.receive(round == 1 ? 1 : 2) {
                            let count = played.pulls.count
                            stepped.clock.advance(by: Self.silence)
                            try await stepped.turns { played.pulls.count > count || reading.end.value != nil }
                            if round == 1 { return }
                            try await played.send(["Status": "408"], to: played.pulls[round - 2].reply)
                        }
                    }
                    // The server receives this request after those of the reader.
                    try await stepped.receive(0) {}
                    _ = try await player.flush().last()
                    #expect(played.pulls.count == 13)
                    #expect(reading.end.value == nil)
                }
            }

            /// The reader cannot know which request a message answers.
            @Test(
                "A reader does not renew an expired request if messages of an earlier one have replaced its messages",
                arguments: LoopKind.all
            )
            func messagesOfAReplacedRequest(kind: LoopKind) async throws {
                try await withSteps(kind) { bench, stepped in
                    let player = try await bench.client()
                    let played = try await PlayedJetStream(player)
                    played.answers = ["CREATE": Self.exists, "INFO": Self.exists]
                    let reading = Reading()
                    reading.start(stepped.client.jetStream.consume("S", NATSConsumerSettings("c"), batch: 1))
                    try await stepped.turns { played.pulls.count == 1 }
                    try await stepped.receive(1) {
                        stepped.clock.advance(by: Self.silence)
                        try await stepped.turns { played.pulls.count == 2 }
                    }
                    let second = try #require(played.pulls.last)
                    // The server sends the message of the first request. The reader requests another one.
                    try stepped.client.deliver("1", at: "c.1.1.1.0.0", for: second)
                    try await stepped.turns { played.pulls.count == 3 }
                    try await stepped.receive(1) { try await played.send(["Status": "408"], to: second.reply) }
                    try await stepped.receive(0) {}
                    _ = try await player.flush().last()
                    #expect(played.pulls.count == 3)
                    #expect(reading.texts.values == ["1"])
                }
            }

            @Test(
                "A durable subscription fails with noJetStream if the server has no JetStream any more",
                arguments: LoopKind.all
            )
            func noResponders(kind: LoopKind) async throws {
                try await withSteps(kind) { bench, stepped in
                    let player = try await bench.client()
                    let (played, reading) = try await play(player, stepped, isDurable: true)
                    played.subscription.dispose()
                    _ = try await player.flush().last()
                    for _ in 0..<2 {
                        #expect(reading.end.value == nil)
                        try await stepped.receive(2) { stepped.clock.advance(by: Self.silence) }
                    }
                    try await expectFailure(.noJetStream, of: reading, stepped)
                }
            }

            @Test("A late answer about a consumer does not reach a disposed subscription", arguments: LoopKind.all)
            func lateAnswer(kind: LoopKind) async throws {
                try await withSteps(kind) { bench, stepped in
                    let player = try await bench.client()
                    let (played, reading) = try await play(player, stepped, isDurable: true)
                    stepped.clock.advance(by: Self.silence)
                    try await stepped.turns { played.requests.values.contains { $0.subject.contains(".INFO.") } }
                    reading.subscription.dispose()
                    let question = try #require(played.requests.values.last { $0.subject.contains(".INFO.") })
                    try await stepped.receive(1) {
                        _ = try await player.answer(question, with: Self.missing.text).last()
                    }
                    #expect(reading.end.value == nil)
                }
            }
        }
    }

    /// An answer of JetStream: a response, or a status.
    private struct Answer {
        var text: Bytes = ""
        var headers: NATSHeaders = [:]
    }

    /// The messages and the failure of one reader.
    private final class Reading: Sendable {
        let subscription = SignalSubscription()
        let texts = Recorder<String>()
        let end = Box<NATSError?>(nil)

        /// Reads the stream "S", with the durable consumer "c" or without one.
        func start(_ client: NATSClient, _ isDurable: Bool) {
            let js = client.jetStream
            start(isDurable ? js.consume("S", NATSConsumerSettings("c")) : js.read("S"))
        }

        func start(_ signal: Signal<JetStreamMessage, NATSError>) {
            signal.subscribe(
                in: subscription,
                onValue: { [texts] in texts.append(String($0.payload)) },
                onTermination: { [end] in if case .failed(let error) = $0 { end.value = error } }
            )
        }
    }

    /// A client that answers the requests about consumers in place of a server.
    private final class PlayedJetStream: Sendable {
        let subscription = SignalSubscription()
        let requests = Recorder<NATSMessage>()
        private let answersByWord = Box<[String: Answer]>([:])
        private let client: NATSClient

        init(_ client: NATSClient) async throws {
            self.client = client
            client.subscribe("$JS.API.CONSUMER.>").subscribe(
                in: subscription,
                onValue: { [requests, answersByWord, weak client] request in
                    requests.append(request)
                    let answer = answersByWord.value.first { request.subject.contains("\($0.key).") }?.value
                    if let answer { client?.answer(request, with: answer.text, headers: answer.headers) }
                },
                onTermination: { _ in }
            )
            _ = try await client.flush().last()
        }

        /// The answers to requests whose subject contains the word, such as "INFO". Other requests get no answer.
        var answers: [String: Answer] {
            get { answersByWord.value }
            set { answersByWord.value = newValue }
        }

        /// The requests for messages.
        var pulls: [NATSMessage] { requests.values.filter { $0.subject.contains(".MSG.NEXT.") } }

        /// Sends a status in reply to the last request for messages, or to another one.
        func send(_ status: NATSHeaders, to reply: String? = nil) async throws {
            let reply = try #require(reply ?? pulls.last?.reply)
            _ = try await client.publish(NATSMessage("", to: reply, headers: status)).last()
        }
    }
#endif
