// SPDX-License-Identifier: MIT
#if NATS
    import LoopTestSupport
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    extension NATSTests {
        @Suite struct JetStreamTests {
            private func withClient(
                _ kind: LoopKind,
                _ body: (NATSBench, NATSClient) async throws -> Void
            ) async throws {
                try await withBench(kind, NATSServer("-js")) { bench in try await body(bench, bench.client()) }
            }

            @Test("A stream stores published messages, and readers receive them", arguments: LoopKind.all)
            func aStreamKeepsWhatIsPublished(kind: LoopKind) async throws {
                try await withClient(kind) { bench, client in
                    let js = client.jetStream
                    let made = try #require(try await js.create(NATSStreamSettings("S", subjects: ["s.>"])).last())
                    #expect(made.name == "S" && made.subjects == ["s.>"] && made.messages == 0)
                    for number in 1...10 {
                        let ack = try await js.publish(Bytes("\(number)"), to: "s.\(number % 2)").last()
                        #expect(ack?.stream == "S" && ack?.sequence == number && ack?.isDuplicate == false)
                    }
                    // The second publication with the same id is not stored, and its acknowledgement says so.
                    let first = try await js.publish("x", to: "s.x", id: "one").last()
                    let second = try await js.publish("x", to: "s.x", id: "one").last()
                    #expect(first?.isDuplicate == false)
                    #expect(second?.isDuplicate == true && second?.sequence == first?.sequence)
                    let info = try #require(try await js.stream("S").last())
                    #expect(info.messages == 11 && info.firstSequence == 1 && info.lastSequence == 11)
                    let read = Recorder<JetStreamMessage>()
                    js.read("S", from: .sequence(3), subject: "s.0").subscribe(
                        onValue: { read.append($0) },
                        onTermination: { _ in }
                    )
                    try await eventually("messages") { read.count == 4 }
                    js.publish("12", to: "s.0")
                    try await eventually("the next") { read.count == 5 }
                    let (texts, numbers) = (read.values.map { String($0.payload) }, read.values.map(\.sequence))
                    #expect(texts == ["4", "6", "8", "10", "12"])
                    #expect(numbers == [4, 6, 8, 10, 12])
                    let areFirst = read.values.allSatisfy { !$0.isRedelivered && $0.stream == "S" }
                    #expect(areFirst)
                }
            }

            @Test(
                "A reader disposed before the server's response leaves no consumer on the server",
                arguments: LoopKind.all
            )
            func aReaderThatIsDisposedBeforeItsAnswerLeavesNoConsumer(kind: LoopKind) async throws {
                try await withClient(kind) { bench, client in
                    let js = client.jetStream
                    _ = try await js.create(NATSStreamSettings("S", subjects: ["s"])).last()
                    for _ in 0..<20 {
                        let reader = js.read("S").subscribe(onValue: { _ in }, onTermination: { _ in })
                        // Dispose it one turn after its request.
                        client.loop.execute { reader.dispose() }
                    }
                    // The server answers requests in order. When this reader receives a message, the server has answered
                    // the others.
                    let read = Recorder<JetStreamMessage>()
                    js.read("S").subscribe(onValue: { read.append($0) }, onTermination: { _ in })
                    _ = try await js.publish("x", to: "s").last()
                    try await eventually("a message") { read.count == 1 }
                    var left = 0
                    for _ in 0..<1000 where left != 1 { left = try await js.stream("S").last()?.consumers ?? 0 }
                    #expect(left == 1)
                }
            }

            @Test("A message for a stream without a leader is published again", arguments: LoopKind.all)
            func absentLeader(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let (client, servers) = (try await bench.client(), try await bench.client())
                    let questions = Box(0)
                    servers.subscribe("$JS.API.STREAM.NAMES").subscribe(
                        onValue: { [weak servers] question in
                            questions.increment()
                            // While JetStream has no leader, it drops the question.
                            if questions.value == 1 { return }
                            let answer = NATSMessage("{\"streams\":[\"S\"]}", to: question.reply ?? "")
                            servers?.publish(answer)
                        },
                        onTermination: { _ in }
                    )
                    _ = try await servers.flush().last()
                    let ack = client.jetStream.publish("x", to: "s", id: "1")
                    try await eventually("three attempts") { questions.value >= 3 }
                    let messages = Recorder<NATSMessage>()
                    servers.subscribe("s").subscribe(
                        onValue: { [weak servers] message in
                            messages.append(message)
                            // A leader that dies takes a message without an answer.
                            if messages.count == 1 { return }
                            servers?.publish(NATSMessage("{\"stream\":\"S\",\"seq\":7}", to: message.reply ?? ""))
                        },
                        onTermination: { _ in }
                    )
                    #expect(try await ack.last()?.sequence == 7)
                    #expect(messages.values.map { $0.headers["Nats-Msg-Id"] } == ["1", "1"])
                    let late = NATSMessage("x", to: "t")
                    let publishing = client.jetStream.publish(late, timeout: .milliseconds(300))
                    #expect(try await failure(of: publishing)?.code == .timedOut)
                }
            }

            @Test("A missing stream or consumer fails with its own error code", arguments: LoopKind.all)
            func whatIsMissing(kind: LoopKind) async throws {
                try await withClient(kind) { bench, client in
                    let js = client.jetStream
                    #expect(try await failure(of: js.stream("nope"))?.code == .streamMissing)
                    #expect(try await failure(of: js.publish("x", to: "nowhere"))?.code == .streamMissing)
                    #expect(try await failure(of: js.read("nope"))?.code == .streamMissing)
                    #expect(
                        try await failure(of: js.consume("nope", NATSConsumerSettings("c")))?.code == .streamMissing
                    )
                    _ = try await js.create(NATSStreamSettings("S", subjects: ["s"])).last()
                    let other = try await failure(of: js.create(NATSStreamSettings("S", subjects: ["other"])))
                    #expect(other?.code == .refused && other?.serverCode == 10058)
                    #expect(try await failure(of: js.deleteConsumer("nope", of: "S"))?.code == .consumerMissing)
                    #expect(try await failure(of: js.deleteStream("S")) == nil)
                    #expect(try await failure(of: js.stream("S"))?.code == .streamMissing)
                    let plain = try await NATSServer()
                    defer { plain.end() }
                    let without = try await bench.client(at: plain.url)
                    #expect(try await failure(of: without.jetStream.stream("S"))?.code == .noJetStream)
                }
            }

            @Test("Deleting a consumer fails its subscriber", arguments: LoopKind.all)
            func aConsumerThatIsDeletedEndsItsSubscriber(kind: LoopKind) async throws {
                try await withClient(kind) { bench, client in
                    let js = client.jetStream
                    _ = try await js.create(NATSStreamSettings("S", subjects: ["s"])).last()
                    let got = Box(0)
                    let end = Box<NATSError?>(nil)
                    js.consume("S", NATSConsumerSettings("c")).subscribe(
                        onValue: { message in
                            message.acknowledge()
                            got.increment()
                        },
                        onTermination: { if case .failed(let error) = $0 { end.value = error } }
                    )
                    js.publish("x", to: "s")
                    try await eventually("a message") { got.value == 1 }
                    _ = try await js.deleteConsumer("c", of: "S").last()
                    try await eventually("the end") { end.value != nil }
                    #expect(end.value?.code == .consumerMissing)
                }
            }

            /// A server without responders answers with such a message.
            @Test("An empty message with the status 503 is delivered like any other", arguments: LoopKind.all)
            func status(kind: LoopKind) async throws {
                try await withClient(kind) { bench, client in
                    let js = client.jetStream
                    _ = try await js.create(NATSStreamSettings("S", subjects: ["s"])).last()
                    for text in ["1", "", "3"] {
                        let headers: NATSHeaders = text == "" ? ["Status": "503"] : [:]
                        _ = try await js.publish(NATSMessage(Bytes(text), to: "s", headers: headers)).last()
                    }
                    let (read, consumed) = (Recorder<String>(), Recorder<String>())
                    js.read("S").subscribe(onValue: { read.append(String($0.payload)) }, onTermination: { _ in })
                    js.consume("S", NATSConsumerSettings("c", maximumUnacknowledged: 1)).subscribe(
                        onValue: { message in
                            consumed.append(String(message.payload))
                            message.acknowledge()
                        },
                        onTermination: { _ in }
                    )
                    try await eventually("the messages") { read.count == 3 && consumed.count == 3 }
                    #expect(read.values == ["1", "", "3"])
                    #expect(consumed.values == ["1", "", "3"])
                }
            }

            /// The redelivered message is marked as such.
            @Test("The acknowledgement of the first copy completes a publication", arguments: LoopKind.all)
            func copies(kind: LoopKind) async throws {
                try await withSteps(kind) { bench, stepped in
                    let stream = try await bench.client()
                    let copies = try await stream.record("s")
                    let sequence = Box(0)
                    stepped.client.jetStream.publish("1", to: "s").subscribe(
                        onValue: { sequence.value = $0.sequence },
                        onTermination: { _ in }
                    )
                    try await stepped.turns { copies.messages.count == 1 }
                    stepped.clock.advance(by: .milliseconds(100))
                    try await stepped.turns { [client = stepped.client] in client.statistics.confirmed == 1 }
                    stepped.clock.advance(by: .milliseconds(2_900))
                    try await stepped.turns { copies.messages.count == 2 }
                    let replies = copies.messages.values.map(\.reply)
                    #expect(replies[0] == replies[1])
                    stream.publish(NATSMessage("{\"stream\":\"S\",\"seq\":7}", to: replies[0] ?? ""))
                    try await stepped.turns { sequence.value == 7 }
                }
            }

            @Test("A message is redelivered until it is acknowledged", arguments: LoopKind.all)
            func acknowledgingAndRedelivering(kind: LoopKind) async throws {
                try await withClient(kind) { bench, client in
                    let js = client.jetStream
                    _ = try await js.create(NATSStreamSettings("S", subjects: ["s"])).last()
                    for number in 0..<20 { js.publish(Bytes("\(number)"), to: "s") }
                    let failures = Recorder<Int>()
                    let done = Recorder<JetStreamMessage>()
                    let ends = Recorder<String>()
                    js.consume("S", NATSConsumerSettings("c"), limit: 1) { message -> Signal<Never, NATSError> in
                        if message.sequence % 5 == 0, !message.isRedelivered {
                            failures.append(message.sequence)
                            return .fail(NATSError(.refused, "not now"))
                        }
                        return .empty
                    }.subscribe(onValue: { done.append($0) }, onTermination: { ends.append("\($0)") })
                    try await eventually("all") { done.count == 20 }
                    #expect(ends.values.isEmpty)
                    #expect(failures.values == [5, 10, 15, 20])
                    let again = done.values.filter(\.isRedelivered).map(\.sequence).sorted()
                    let all = Set(done.values.map(\.sequence))
                    #expect(again == [5, 10, 15, 20])
                    #expect(all == Set(1...20))
                    _ = try await client.flush().last()
                }
            }

            @Test("A paused consumer delivers its messages after the resume", arguments: LoopKind.all)
            func aPauseHoldsAConsumerBack(kind: LoopKind) async throws {
                try await withClient(kind) { bench, client in
                    let js = client.jetStream
                    _ = try await js.create(NATSStreamSettings("S", subjects: ["s"])).last()
                    let acks = js.publish(
                        from: Signal(values: (0..<2000).lazy.map { NATSMessage(Bytes("\($0)"), to: "s") })
                    )
                    #expect(try await acks.allValues().count == 2000)
                    let subscription = SignalSubscription()
                    let got = Recorder<String>()
                    let hold = subscription.pause()
                    js.consume("S", NATSConsumerSettings("c"), batch: 10).subscribe(
                        in: subscription,
                        onValue: { message in
                            got.append(String(message.payload))
                            message.acknowledge()
                        },
                        onTermination: { _ in }
                    )
                    js.publish("last", to: "s")
                    _ = try await client.flush().last()
                    #expect(got.count == 0)
                    hold.dispose()
                    try await eventually("all") { got.count == 2001 }
                    #expect(got.values == (0..<2000).map { "\($0)" } + ["last"])
                }
            }

            /// `kill -9` of the server in the middle of a stream: all acknowledged messages arrive in order. A
            /// message that arrives twice is marked.
            @Test("A killed JetStream server loses no acknowledged message", arguments: LoopKind.all)
            func aServerKilledInTheMiddle(kind: LoopKind) async throws {
                try await withClient(kind) { bench, client in
                    let js = client.jetStream
                    _ = try await js.create(NATSStreamSettings("S", subjects: ["s"])).last()
                    let count = Platform.rounds(20_000)
                    let (acked, read, consumed) = (
                        Recorder<NATSPublishAck>(), Recorder<Int>(), Recorder<JetStreamMessage>()
                    )
                    let reader = try await bench.client()
                    reader.jetStream.read("S").subscribe(
                        onValue: { read.append(Int(String($0.payload)) ?? -1) },
                        onTermination: { _ in }
                    )
                    let settings = NATSConsumerSettings("c", acknowledgementTime: .seconds(1))
                    reader.jetStream.consume("S", settings).subscribe(
                        onValue: { message in
                            consumed.append(message)
                            message.acknowledge()
                        },
                        onTermination: { _ in }
                    )
                    let end = Box<Termination<NATSError>?>(nil)
                    let source = Signal<NATSMessage, NATSError>(
                        values: (0..<count).lazy.map { NATSMessage(Bytes("\($0)"), to: "s") }
                    )
                    js.publish(from: source, underWay: 64, timeout: .seconds(900)).subscribe(
                        onValue: { acked.append($0) },
                        onTermination: { end.value = $0 }
                    )
                    for part in 1...2 {
                        try await eventually("a part of it") { acked.count > part * count / 4 }
                        try await bench.disconnect(client)
                        try await bench.server.start()
                    }
                    try await eventually("the end") { end.value != nil }
                    #expect(acked.count == count)
                    let kept = try #require(try await js.stream("S").last()).lastSequence
                    // If the acknowledgement of a stored message was lost, the client publishes it again, and the server
                    // recognizes the duplicate.
                    #expect(kept == count)
                    #expect(Set(acked.values.map(\.sequence)) == Set(1...count))
                    try await eventually("everything read") { read.count >= count }
                    #expect(Set(read.values) == Set(0..<count))
                    #expect(read.count == count)
                    try await eventually("everything consumed") { Set(consumed.values.map(\.sequence)).count == count }
                    var seen: Set<Int> = []
                    for message in consumed.values where !seen.insert(message.sequence).inserted {
                        let isMarked = message.isRedelivered
                        #expect(isMarked)
                    }
                    print(
                        "\(kind): \(acked.values.count { $0.isDuplicate }) published twice, "
                            + "\(consumed.values.count { $0.isRedelivered }) delivered again"
                    )
                }
            }
        }
    }
#endif
