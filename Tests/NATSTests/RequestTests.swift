// SPDX-License-Identifier: MIT
#if NATS
    import LoopTestSupport
    import ReactiveCommands
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import Testing

    extension NATSTests {
        @Suite struct RequestTests {
            @Test("Requests receive their replies, directly and as a command", arguments: LoopKind.all)
            func requestsAreAnswered(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let (asking, answering) = (try await bench.client(), try await bench.client())
                    answering.subscribe("double", queueGroup: "doublers").subscribe(
                        onValue: { message in
                            let number = Int(String(message.payload)) ?? 0
                            answering.answer(message, with: Bytes("\(number * 2)"))
                        },
                        onTermination: { _ in }
                    )
                    _ = try await answering.flush().last()
                    let command = asking.requests(to: "double", timeout: .seconds(600))
                    let answers = Recorder<String>()
                    for number in 0..<1000 {
                        command.execute(Bytes("\(number)")).subscribe(
                            onValue: { answers.append(String($0.payload)) },
                            onTermination: noFailure()
                        )
                    }
                    try await eventually("answers") { answers.count == 1000 }
                    #expect(answers.values == (0..<1000).map { "\($0 * 2)" })
                    try await eventually("the end of the last") { !command.isExecuting.value }
                }
            }

            @Test(
                "A request fails with noResponders without a responder, and with timedOut without a reply",
                arguments: LoopKind.all
            )
            func nobodyThereAndNobodyAnswering(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    // Longer than a pause of the machine.
                    let minutes = Duration.seconds(600)
                    #expect(
                        try await failure(of: client.request(NATSMessage("?", to: "nobody"), timeout: minutes))?.code
                            == .noResponders
                    )
                    _ = try await client.record("silent")
                    let asking = client.request(NATSMessage("?", to: "silent"), timeout: .milliseconds(50))
                    #expect(try await failure(of: asking)?.code == .timedOut)
                    #expect(try await failure(of: client.request(NATSMessage("?", to: "a b")))?.code == .invalidSubject)
                    let command = client.requests(to: "nobody", timeout: minutes)
                    let errors = Recorder<NATSError.Code>()
                    command.errors.subscribe(onValue: { errors.append($0.code) })
                    command.execute("?")
                    try await eventually("an error") { errors.count == 1 }
                    #expect(errors.values == [.noResponders])
                }
            }

            @Test(
                "The refusal of a message whose result was discarded is reported, unless events are observed",
                arguments: [true, false]
            )
            func discardedPublish(isObserved: Bool) async throws {
                let subject = "discarded \(isObserved)"
                try await withBench(.dispatch) { bench in
                    let client = try await bench.client()
                    let recorder = FailureRecorder { failure in
                        (failure.error as? NATSError)?.message.contains(subject) == true
                    }
                    let seen = Box(0)
                    if isObserved { client.events.subscribe(onValue: { _ in seen.increment() }) }
                    client.publish("x", to: subject)
                    client.publish(from: Signal<NATSMessage, Never>.just(NATSMessage("x", to: subject)))
                    #expect(try await failure(of: client.publish("x", to: subject))?.code == .invalidSubject)
                    _ = try await client.flush().last()
                    let lost = ["NATSClient.publish", "NATSClient.publish(from:)"]
                    #expect(recorder.operations.sorted() == (isObserved ? [] : lost))
                    #expect(seen.value == (isObserved ? 3 : 0))
                }
            }

            @Test("A request fails if the connection is lost before the reply", arguments: LoopKind.all)
            func aConnectionThatBreaksBeforeTheAnswer(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let asked = try await client.record("silent")
                    let error = Box<NATSError?>(nil)
                    client.request(NATSMessage("?", to: "silent"), timeout: .seconds(600)).subscribe(
                        onValue: { _ in },
                        onTermination: { termination in
                            if case .failed(let failure) = termination { error.value = failure }
                        }
                    )
                    try await eventually("the question") { asked.messages.count == 1 }
                    bench.server.kill()
                    try await eventually("the end") { error.value != nil }
                    #expect(error.value?.code == .unconfirmed)
                }
            }
        }
    }
#endif
