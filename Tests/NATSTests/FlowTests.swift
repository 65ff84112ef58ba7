// SPDX-License-Identifier: MIT
#if NATS
    import LoopTestSupport
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets
    import ReactiveSupport
    import SchedulerConformance
    import Testing

    extension NATSTests {
        @Suite struct FlowTests {
            @Test(
                "An idle client and its subscriber have no timer but that of the pings",
                arguments: LoopKind.all
            )
            func idle(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let recording = try await client.record("x")
                    try await eventually("the last timer") { try bench.loop.heldAfterTurn().timers == 1 }
                    withExtendedLifetime((client, recording)) {}
                }
            }

            /// Sends from a signal through the server to a subscriber.
            @Test("A million messages all arrive, in order within each subject", arguments: LoopKind.all)
            func aMillionMessages(kind: LoopKind) async throws {
                let count = Platform.rounds(1_000_000)
                let subjects = 8
                // By itself the server closes a connection that does not accept what waits for it within ten seconds.
                let folder = try TestFolder()
                defer { folder.remove() }
                let settings = try folder.file("server.conf", "write_deadline: \"600s\"\n")
                try await withBench(kind, NATSServer("-c", settings)) { bench in
                    let (publisher, subscriber) = (try await bench.client(), try await bench.client())
                    let next = Box(Array(repeating: 0, count: subjects))
                    let received = Box(0)
                    let strays = Box(0)
                    subscriber.subscribe("count.*").subscribe(
                        onValue: { message in
                            let isNext = next.update { next in
                                guard let subject = message.subject.utf8.last.map({ Int($0) - 48 }),
                                    let number = Int(String(message.payload)), number == next[subject]
                                else { return false }
                                next[subject] = number + subjects
                                if number < subjects, number != subject { return false }
                                return true
                            }
                            if !isNext { strays.increment() }
                            received.increment()
                        },
                        onTermination: { _ in }
                    )
                    next.value = (0..<subjects).map { $0 }
                    _ = try await subscriber.flush().last()
                    let names = (0..<subjects).map { "count.\($0)" }
                    let source = Signal<NATSMessage, Never>(
                        values: (0..<count).lazy.map { NATSMessage(Bytes("\($0)"), to: names[$0 % subjects]) }
                    )
                    #expect(try await failure(of: publisher.publish(from: source)) == nil)
                    try await eventually("all messages") { received.value == count }
                    #expect(strays.value == 0)
                    #expect(publisher.statistics.unconfirmed == 0)
                    #expect(publisher.statistics.confirmed == count)
                    #expect(subscriber.statistics.dropped == 0)
                }
            }

            /// The loss is counted and reported, and the other subscribers receive everything.
            @Test(
                "A subscriber that stops receiving for five seconds loses messages, and the others lose none",
                arguments: LoopKind.all
            )
            func aSubscriberThatStopsForFiveSecondsCostsOnlyItself(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let limit = NATSPendingLimits(messages: 1000)
                    let slow = try await client.record("x", pending: limit)
                    let latest = try await client.record("x", pending: limit, whenFull: .dropOldest)
                    let quick = try await client.record("x")
                    let reported = Box(0)
                    client.events.subscribe(onValue: { event in
                        if case .dropped(let count, "x") = event { reported.update { $0 += count } }
                    })
                    let holds = [slow.subscription.pause(), latest.subscription.pause()]
                    let isOver = Latch()
                    bench.loop.schedule(after: .seconds(5)) { isOver.arrive() }
                    var sent = 0
                    repeat {
                        for _ in 0..<1000 {
                            client.publish(Bytes("\(sent)"), to: "x")
                            sent += 1
                        }
                        let expected = sent
                        try await eventually("the quick subscriber") { quick.messages.count == expected }
                    } while !isOver.isOpen
                    #expect(slow.messages.count == 0)
                    for hold in holds { hold.dispose() }
                    try await eventually("the retained messages") {
                        slow.messages.count == 1000 && latest.messages.count == 1000
                    }
                    let all = (0..<sent).map { "\($0)" }
                    #expect(quick.texts == all)
                    #expect(slow.texts == Array(all.prefix(1000)))
                    #expect(latest.texts == Array(all.suffix(1000)))
                    let lost = 2 * (sent - 1000)
                    try await eventually("the report") { reported.value == lost }
                    #expect(client.statistics.dropped == lost)
                    // The subscriber continues to receive.
                    client.publish("after", to: "x")
                    try await eventually("the next message") {
                        slow.texts.last == "after" && latest.texts.last == "after"
                    }
                }
            }

            @Test("With the policy fail, a subscriber that exceeds its limit fails", arguments: LoopKind.all)
            func aSubscriberThatMayLoseNothingFails(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let strict = try await client.record("x", pending: NATSPendingLimits(messages: 10), whenFull: .fail)
                    let hold = strict.subscription.pause()
                    for number in 0..<20 { client.publish(Bytes("\(number)"), to: "x") }
                    try await eventually("a lost message") { client.statistics.dropped == 1 }
                    #expect(strict.messages.count == 0)
                    hold.dispose()
                    try await eventually("the end") { strict.end.value != nil }
                    #expect(strict.texts == (0..<10).map { "\($0)" })
                    #expect(strict.failure?.code == .slowSubscriber)
                }
            }

            /// A large message replaces as many small ones as it needs. A message that can never fit replaces none.
            @Test("Buffered bytes stay within the limit of a subscriber", arguments: LoopKind.all)
            func bytesThatWaitStayWithinTheLimit(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let limit = NATSPendingLimits(bytes: 10_000)
                    let latest = try await client.record("x", pending: limit, whenFull: .dropOldest)
                    let first = try await client.record("x", pending: limit, whenFull: .dropNewest)
                    let reported = Box(0)
                    client.events.subscribe(onValue: { event in
                        if case .dropped(let count, "x") = event { reported.update { $0 += count } }
                    })
                    let holds = [latest.subscription.pause(), first.subscription.pause()]
                    // Ten messages of 1000 bytes each, subject included; then one of 5000, one that is too large, and one
                    // with headers.
                    let small = Bytes.letters(999)
                    for _ in 0..<10 { client.publish(small, to: "x") }
                    client.publish(Bytes(Array(repeating: 66, count: 4999)), to: "x")
                    client.publish(Bytes(Array(repeating: 67, count: 10_000)), to: "x")
                    let value = String(repeating: "v", count: 2998)
                    client.publish(NATSMessage("", to: "x", headers: ["H": value]))
                    _ = try await client.flush().last()
                    try await eventually("the messages") { client.statistics.received == 26 }
                    for hold in holds { hold.dispose() }
                    try await eventually("kept messages") { latest.messages.count == 4 && first.messages.count == 10 }
                    #expect(latest.messages.values.map(\.payload.count) == [999, 999, 4999, 0])
                    #expect(first.messages.values.allSatisfy { $0.payload.count == 999 })
                    // Of thirteen messages each, four and ten were kept.
                    #expect(client.statistics.dropped == 9 + 3)
                    try await eventually("the report") { reported.value == 12 }
                }
            }

            /// Law 11, from inside: the subscriber pauses at each value and is resumed from elsewhere.
            @Test("No value arrives while a subscriber that paused itself is paused", arguments: LoopKind.all)
            func pausingFromInsideADelivery(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let subscription = SignalSubscription()
                    let seen = Recorder<String>()
                    let violations = Box(0)
                    let isHeld = Box(false)
                    let loop = bench.loop
                    client.subscribe("x").subscribe(
                        in: subscription,
                        onValue: { message in
                            if isHeld.value { violations.increment() }
                            seen.append(String(message.payload))
                            isHeld.value = true
                            let hold = subscription.pause()
                            loop.execute {
                                isHeld.value = false
                                hold.dispose()
                            }
                        },
                        onTermination: { _ in }
                    )
                    for number in 0..<1000 { client.publish(Bytes("\(number)"), to: "x") }
                    try await eventually("all") { seen.count == 1000 }
                    #expect(seen.values == (0..<1000).map { "\($0)" })
                    #expect(violations.value == 0)
                }
            }

            @Test("A client releases a source that it has paused", arguments: LoopKind.all)
            func pausedSource(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    var options = NATSOptions.quick
                    options.highWatermark = 1
                    let client = try await bench.client(options)
                    let root = Box<UnsafeTransfer<Weak<SignalSubscription>>?>(nil)
                    let source = Signal<NATSMessage, Never> { emitter, subscription in
                        root.value = UnsafeTransfer(Weak(subscription.origin))
                        let messages = Array(repeating: NATSMessage("1", to: "x"), count: 10)
                        Signal<NATSMessage, Never>(values: messages).subscribe(emitter, in: subscription)
                    }
                    #expect(try await failure(of: client.publish(from: source)) == nil)
                    try bench.loop.sync()
                    #expect(root.value?.value.object == nil)
                    #expect(client.isConnected)
                }
            }

            @Test("A watermark of zero delays no source while nothing waits", arguments: LoopKind.all)
            func noWatermark(kind: LoopKind) async throws {
                var options = NATSOptions.quick
                options.highWatermark = 0
                try await withSteps(kind, options: options) { _, stepped in
                    // A message of this size is flushed at once.
                    let message = NATSMessage(Bytes([UInt8](repeating: 120, count: 70_000)), to: "x")
                    let source = Signal<NATSMessage, Never>(values: Array(repeating: message, count: 10))
                    let isDone = Box(false)
                    stepped.client.publish(from: source).subscribe(onTermination: { _ in isDone.value = true })
                    // The clock does not advance.
                    try await stepped.turns { isDone.value }
                }
            }

            @Test("Invalid messages are refused, and each refusal is reported", arguments: LoopKind.all)
            func whatIsRefused(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let reported = Recorder<NATSError.Code>()
                    client.events.subscribe(onValue: { event in
                        if case .refused(let error, _) = event { reported.append(error.code) }
                    })
                    let earlier = Box(-1)
                    client.request(NATSMessage("1", to: "a b")).subscribe(
                        onValue: { _ in },
                        onTermination: { _ in earlier.value = reported.count }
                    )
                    let large = Bytes.letters(2 * 1024 * 1024)
                    #expect(try await failure(of: client.publish(large, to: "x"))?.code == .messageTooLarge)
                    #expect(earlier.value == 0, "The result of a publication precedes the report")
                    for subject in ["", "a..b", "a b", "a.*", ">", ".a", "a.", "a\r\nPING"] {
                        #expect(
                            try await failure(of: client.publish("1", to: subject))?.code == .invalidSubject,
                            "\(subject)"
                        )
                    }
                    #expect(try await failure(of: client.subscribe("a.>.b"))?.code == .invalidSubject)
                    #expect(try await failure(of: client.subscribe("a b"))?.code == .invalidSubject)
                    for headers: NATSHeaders in [["A": "b\r\nc"], ["A": ""], ["": "b"], ["A:": "b"]] {
                        let message = NATSMessage("1", to: "x", headers: headers)
                        #expect(try await failure(of: client.publish(message))?.code == .invalidArgument)
                    }
                    #expect(client.isConnected)
                    #expect(client.statistics.refused == 14)
                    try await eventually("the reports") { reported.count == 14 }
                    #expect(reported.values.filter { $0 == .invalidSubject }.count == 9)
                }
            }

            @Test("A queue group delivers each message to one member", arguments: LoopKind.all)
            func aQueueGroupGetsEachMessageOnce(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let first = Recorder<String>()
                    let second = Recorder<String>()
                    for recorder in [first, second] {
                        client.subscribe("work", queueGroup: "workers").subscribe(
                            onValue: { message in
                                recorder.append(String(message.payload))
                            },
                            onTermination: { _ in }
                        )
                    }
                    _ = try await client.flush().last()
                    for number in 0..<1000 { client.publish(Bytes("\(number)"), to: "work") }
                    try await eventually("all") { first.count + second.count == 1000 }
                    #expect(Set(first.values + second.values).count == 1000)
                    #expect(first.count > 0 && second.count > 0)
                }
            }
        }
    }
#endif
