// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveCommands
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets

    // The snippets of Docs/NATS.md. They are not run: they need a server. NATSTests start one, and test these calls.

    private struct Names {
        let resolver: Resolver
    }

    private func lookUp(with names: Names, on loop: any LoopScheduler) -> NATSClient {
        let client = NATSClient(to: ["nats://broker.example:4222"], on: loop, resolver: names.resolver)
        return client
    }

    private func useNATS(
        on loop: any LoopScheduler,
        _ readings: Signal<Bytes, Never>,
        _ bill: @escaping @Sendable (JetStreamMessage) -> Signal<Never, NATSError>
    ) {
        let client = NATSClient(to: ["nats://127.0.0.1:4222"], on: loop)  // connects at once; see client.state

        client.subscribe("room.*").subscribe(onValue: { print($0.subject, $0.payload) }, onTermination: { print($0) })
        client.publish("hello", to: "room.one")  // a Signal<Never, NATSError> that you may ignore
        client.publish(from: readings.map { NATSMessage($0, to: "readings") })

        let double = client.requests(to: "double")  // a Command<Bytes, NATSMessage, NATSError>
        double.execute("21").subscribe(onValue: { print($0.payload) }, onTermination: { print($0) })

        let js = client.jetStream
        js.create(NATSStreamSettings("ORDERS", subjects: ["orders.>"]))
            .subscribe(onValue: { _ in }, onTermination: { print($0) })
        js.publish("one", to: "orders.new").subscribe(onValue: { print($0.sequence) }, onTermination: { print($0) })
        // Each order is acknowledged when the signal that `bill` returns completes.
        js.consume("ORDERS", NATSConsumerSettings("billing")) { order in bill(order) }
            .subscribe(onValue: { print("billed", $0.sequence) }, onTermination: { print($0) })
    }
#endif
