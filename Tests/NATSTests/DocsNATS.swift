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

    // The snippets of the DocC catalogue of ReactiveNATS.

    private let printed = Recorder<String>()

    /// Takes the place of the standard library's function, so that a test can read what a snippet prints. It omits the
    /// terminations, which follow the close of a client and may arrive during the next test.
    private func print(_ items: Any...) {
        let line = items.map { "\($0)" }.joined(separator: " ")
        if !line.contains(" ended: ") { printed.append(line) }
    }

    private func publish(_ server: String, _ loop: any LoopScheduler) -> NATSClient {
        let client = NATSClient(to: [server], on: loop)
        client.subscribe("room.*").subscribe(
            onValue: { message in print(message.subject, message.payload) },  // Prints "room.one hello".
            onTermination: { print("room.* ended:", $0) }
        )
        client.publish("hello", to: "room.one")
        return client
    }

    private func answer(_ client: NATSClient) {
        client.subscribe("double", queueGroup: "doublers").subscribe(
            onValue: { request in
                let number = Int(String(request.payload)) ?? 0
                client.answer(request, with: Bytes("\(2 * number)"))
            },
            onTermination: { print("double ended:", $0) }
        )
    }

    private func ask(_ client: NATSClient) {
        let double = client.requests(to: "double")
        double.execute("21").subscribe(
            onValue: { reply in print(reply.payload) },  // Prints "42".
            onTermination: { if case .failed(let error) = $0 { print("no reply:", error) } }
        )
    }

    private func watch(_ client: NATSClient) {
        client.state.signal.subscribe(onValue: { state in
            if case .closed(let error?) = state { print("closed:", error) }
        })
        client.events.subscribe(onValue: { event in
            switch event {
            case .dropped(let count, let subject): print("\(count) messages to \(subject) were dropped")
            case .unconfirmed(let count): print("\(count) messages may be lost")
            default: print(event)
            }
        })
    }

    /// Bills an order. The result completes when the bill has been written.
    private func bill(_ order: JetStreamMessage) -> Signal<Never, NATSError> { .empty }

    private func consume(_ client: NATSClient) async throws {
        let jetStream = client.jetStream
        _ = try await jetStream.create(NATSStreamSettings("ORDERS", subjects: ["orders.>"])).last()
        jetStream.publish("one apple", to: "orders.new").subscribe(
            onValue: { stored in print("stored", stored.sequence) },  // Prints "stored 1".
            onTermination: { if case .failed(let error) = $0 { print("not stored:", error) } }
        )
        jetStream.consume("ORDERS", NATSConsumerSettings("billing")) { order in bill(order) }
            .subscribe(
                onValue: { order in print("billed", order.sequence) },  // Prints "billed 1".
                onTermination: { print("billing ended:", $0) }
            )
    }

    extension NATSTests {
        @Suite(.serialized) struct DocsTests {
            @Test func publishing() async throws {
                printed.clear()
                try await withBench(.dispatch) { bench in
                    let client = publish(bench.server.url, bench.loop)
                    try await eventually("a message") { printed.values == ["room.one hello"] }
                    client.close()
                }
            }

            @Test func requesting() async throws {
                printed.clear()
                try await withBench(.dispatch) { bench in
                    let (asking, answering) = (try await bench.client(), try await bench.client())
                    watch(asking)
                    answer(answering)
                    _ = try await answering.flush().last()
                    ask(asking)
                    try await eventually("a reply") { printed.values == ["42"] }
                    asking.close()
                    answering.close()
                }
            }

            @Test func streaming() async throws {
                printed.clear()
                try await withBench(.dispatch, NATSServer("-js")) { bench in
                    let client = try await bench.client()
                    try await consume(client)
                    try await eventually("the order") { Set(printed.values) == ["stored 1", "billed 1"] }
                    client.close()
                }
            }
        }
    }
#endif
