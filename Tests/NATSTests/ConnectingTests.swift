// SPDX-License-Identifier: MIT
#if NATS
    import LoopTestSupport
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    extension NATSTests {
        @Suite struct ConnectingTests {
            @Test("A client on a main loop that could not be created fails with the reason")
            func refusingMainLoop() async {
                // In a process of its own, because the limit of descriptors belongs to the process.
                await #expect(processExitsWith: .success) {
                    for kind in LoopKind.all {
                        let failure = Box<NATSError?>(nil)
                        NATSClient.connect(to: ["nats://127.0.0.1:1"], on: kind.mainWithoutDescriptors).subscribe(
                            onValue: { _ in },
                            onTermination: { if case .failed(let error) = $0 { failure.value = error } }
                        )
                        let error = try #require(failure.value)
                        #expect(error.code == .loop && error.message.contains("could not be created"), "\(error)")
                    }
                }
            }

            @Test("A client connects, publishes and receives in order", arguments: LoopKind.all)
            func connectsPublishesAndReceives(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    #expect(client.isConnected)
                    let recording = try await client.record("room.*")
                    for number in 0..<100 { client.publish(Bytes("\(number)"), to: "room.\(number % 3)") }
                    var last = NATSMessage(
                        "last",
                        to: "room.x",
                        reply: "back",
                        headers: ["Kind": "greeting", "Other": "value"]
                    )
                    last.headers.fields.append(.init("Kind", "second"))
                    #expect(try await failure(of: client.publish(last)) == nil)
                    try await eventually("messages") { recording.messages.count == 101 }
                    #expect(recording.texts == (0..<100).map { "\($0)" } + ["last"])
                    #expect(recording.messages.values.map(\.subject) == (0..<100).map { "room.\($0 % 3)" } + ["room.x"])
                    let message = try #require(recording.messages.values.last)
                    #expect(message.reply == "back")
                    #expect(message.headers["Kind"] == "greeting")
                    #expect(message.headers.fields.filter { $0.name == "Kind" }.map(\.value) == ["greeting", "second"])
                    let statistics = client.statistics
                    #expect(statistics.published == 101)
                    #expect(statistics.confirmed == 101)
                    #expect(statistics.received == 101)
                    #expect(statistics.dropped == 0)
                }
            }

            @Test("A time limit may be longer than milliseconds can express", arguments: LoopKind.all)
            func longTimes(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    // Their milliseconds exceed 31 and 63 bits.
                    for time in [Duration.seconds(3_000_000), .seconds(Int64.max)] {
                        var options = NATSOptions.quick
                        options.connectTimeout = time
                        options.pingInterval = time
                        let client = try await bench.client(options)
                        #expect(try await failure(of: client.publish("1", to: "x")) == nil)
                    }
                }
            }

            @Test(
                "A flush completes after the messages that the server sent before, and before later confirmations",
                arguments: LoopKind.all
            )
            func flushing(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let order = Recorder<String>()
                    client.subscribe("x").subscribe(
                        onValue: { order.append(String($0.payload)) },
                        onTermination: { _ in }
                    )
                    for _ in 0..<50 {
                        order.clear()
                        bench.loop.execute {
                            client.publish("message", to: "x")
                            client.flush().subscribe(onTermination: { _ in order.append("flush") })
                            client.publish("later", to: "y").subscribe(onTermination: { _ in order.append("later") })
                        }
                        try await eventually("the confirmation") { order.values.contains("later") }
                        try #require(order.values == ["message", "flush", "later"])
                    }
                }
            }

            @Test("Messages and states are delivered on the client's loop", arguments: LoopKind.all)
            func deliversOnItsLoop(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let client = try await bench.client()
                    let isCurrent = Recorder<Bool>()
                    let states = Recorder<Bool>()
                    let loop = bench.loop
                    client.subscribe("here").subscribe(
                        onValue: { _ in isCurrent.append(loop.isCurrent) },
                        onTermination: { _ in }
                    )
                    client.state.signal.subscribe(onValue: { state in
                        if state.isClosed { states.append(loop.isCurrent) }
                    })
                    client.publish("1", to: "here")
                    try await eventually("a message") { isCurrent.count == 1 }
                    client.close()
                    try await eventually("the end") { states.count == 1 }
                    #expect(isCurrent.values == [true])
                    #expect(states.values == [true])
                }
            }

            @Test("Without a server, connecting fails and the state is closed", arguments: LoopKind.all)
            func noServerIsAnErrorAndAState(kind: LoopKind) async throws {
                let loop = try kind.make(thread: .owned)
                defer { loop.dispose() }
                // The system never assigns this port automatically.
                let url = "nats://127.0.0.1:1"
                let error = try await failure(of: NATSClient.connect(to: [url], on: loop, options: .quick))
                #expect(error?.code == .noServer)
                #expect(error?.message.contains(url) == true)

                let client = NATSClient(to: [url], on: loop)
                let publishing = client.publish("too early", to: "x")
                #expect(try await failure(of: publishing)?.code == .noServer)
                #expect(client.state.value == .closed(NATSError(.noServer, "")))
                #expect(try await failure(of: client.subscribe("x"))?.code == .noServer)
                #expect(try await failure(of: client.flush())?.code == .noServer)
            }

            @Test("A server with a password accepts only the right credentials", arguments: LoopKind.all)
            func credentials(kind: LoopKind) async throws {
                let folder = try TestFolder()
                defer { folder.remove() }
                let settings = try folder.settings(authorization: "user: ann, password: right")
                let server = try await NATSServer("-c", settings)
                try await withBench(kind, server) { bench in
                    var options = NATSOptions.quick
                    #expect(try await bench.refusal(options) == .wrongCredentials)
                    options.credentials = .user("ann", password: "wrong")
                    #expect(try await bench.refusal(options) == .wrongCredentials)
                    options.credentials = .user("ann", password: "right")
                    let client = try await bench.client(options)
                    #expect(client.isConnected)
                }
            }

            @Test("An invalid address fails to connect", arguments: LoopKind.all)
            func anAddressThatIsNone(kind: LoopKind) async throws {
                let loop = try kind.make(thread: .owned)
                defer { loop.dispose() }
                let error = try await failure(of: NATSClient.connect(to: ["nats://"], on: loop))
                #expect(error?.code == .invalidAddress)
            }

            @Test(
                "Required TLS fails if the server does not offer it",
                arguments: LoopKind.all,
                ["nats", "tls", "TLS"]
            )
            func tlsThatTheServerHasNot(kind: LoopKind, scheme: String) async throws {
                try await withBench(kind) { bench in
                    var options = NATSOptions.quick
                    if scheme == "nats" { options.security = NATSSecurity(verifiesServer: false) }
                    let address = bench.server.url.replacing("nats://", with: "\(scheme)://")
                    let connecting = NATSClient.connect(to: [address], on: bench.loop, options: options)
                    let error = try await failure(of: connecting)
                    #expect(error?.code == .insecure)
                }
            }

            @Test(
                "Closing a client completes its subscribers, and sends the messages published before",
                arguments: LoopKind.all
            )
            func closingEndsEverybodyAndWhatWasPublishedGoesOut(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let other = try await bench.client()
                    let heard = try await other.record("x")
                    let client = try await bench.client()
                    let recording = try await client.record("y")
                    let states = Recorder<NATSState>()
                    client.state.signal.subscribe(onValue: { states.append($0) })
                    let last = client.publish("last words", to: "x")
                    client.close()
                    client.close()
                    #expect(try await failure(of: last) == nil)
                    #expect(try await failure(of: client.publish("too late", to: "x"))?.code == .closed)
                    try await eventually("the end") { recording.end.value != nil && heard.messages.count == 1 }
                    #expect(recording.failure?.code == .closed)
                    #expect(states.values == [.connected, .closed(nil)])
                    #expect(heard.texts == ["last words"])
                }
            }

            @Test("A client without references or subscribers closes its connection", arguments: LoopKind.all)
            func aClientThatNobodyRefersToEnds(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let states = Recorder<NATSState>()
                    let subscription = SignalSubscription()
                    try await {
                        let client = try await bench.client()
                        client.state.signal.subscribe(onValue: { states.append($0) })
                        client.subscribe("x").subscribe(in: subscription, onValue: { _ in }, onTermination: { _ in })
                        _ = try await client.flush().last()
                    }()
                    // The subscription keeps the client alive.
                    #expect(states.values.last == .connected)
                    subscription.dispose()
                    try await eventually("the end") { states.values.last == .closed(nil) }
                }
            }

            @Test("Pending work retains a client without references", arguments: LoopKind.all)
            func workRetainsTheClient(kind: LoopKind) async throws {
                try await withBench(kind) { bench in
                    let answering = try await bench.client()
                    answering.subscribe("double").subscribe(
                        onValue: { answering.answer($0, with: Bytes("\($0.payload)\($0.payload)")) },
                        onTermination: { _ in }
                    )
                    _ = try await answering.flush().last()
                    // Each expression releases its client as soon as the work has started.
                    let messages = Signal<NATSMessage, NATSError>(values: [NATSMessage("1", to: "x")])
                    #expect(try await failure(of: bench.client().publish(from: messages)) == nil)
                    #expect(try await failure(of: bench.client().publish("2", to: "x")) == nil)
                    #expect(try await failure(of: bench.client().flush()) == nil)
                    let answer = try await bench.client().request(NATSMessage("ab", to: "double")).first()
                    #expect(answer.map { String($0.payload) } == "abab")
                }
            }

            @Test(
                "Disposing the loop releases the pending work of a client",
                arguments: LoopKind.all,
                ["subscribe", "request", "publish", "publish from", "flush", "read"]
            )
            func aDisposedLoopReleasesWork(kind: LoopKind, work: String) async throws {
                for (isConnected, hasStarted) in [(true, true), (true, false), (false, true)] {
                    try await disposeLoop(kind, under: work, isConnected, hasStarted)
                }
            }

            private func disposeLoop(
                _ kind: LoopKind,
                under work: String,
                _ isConnected: Bool,
                _ hasStarted: Bool
            ) async throws {
                let server = try await NATSServer()
                defer { server.end() }
                let loop = try kind.make(thread: .owned)
                let released = Box(false)
                let options = NATSOptions(connectTimeout: .seconds(60), reconnectWait: .seconds(60))
                try await {
                    let canary = Canary { released.value = true }
                    // No server listens on port 1, so this client stays without a connection.
                    let urls = isConnected ? [server.url] : ["nats://127.0.0.1:1"]
                    let client = NATSClient(to: urls, on: loop, options: options)
                    if isConnected { _ = try await client.flush().last() }
                    switch work {
                    case "subscribe":
                        client.subscribe("x").subscribe(onValue: { _ in }, onTermination: { _ in canary.sing() })
                    case "request":
                        let question = NATSMessage("?", to: "x")
                        let answers = client.request(question, timeout: .seconds(600))
                        answers.subscribe(onValue: { _ in }, onTermination: { _ in canary.sing() })
                    case "publish": client.publish("?", to: "x").subscribe(onTermination: { _ in canary.sing() })
                    case "publish from":
                        let written = client.publish(from: Signal<NATSMessage, NATSError>.never)
                        written.subscribe(onTermination: { _ in canary.sing() })
                    case "read":
                        client.jetStream.read("S").subscribe(onValue: { _ in }, onTermination: { _ in canary.sing() })
                    default: client.flush().subscribe(onTermination: { _ in canary.sing() })
                    }
                    if hasStarted { await withCheckedContinuation { turn in loop.execute { turn.resume() } } }
                }()
                loop.dispose()
                try await eventually("release of \(work), connected: \(isConnected), started: \(hasStarted)") {
                    released.value
                }
            }

            /// The client lives on. A late server accepts the client after the disposal.
            @Test(
                "Disposing the loop closes the client's connection",
                arguments: LoopKind.all,
                [ScriptedServer.Treatment.plain, .late]
            )
            func disposedLoop(kind: LoopKind, treatment: ScriptedServer.Treatment) async throws {
                let serverLoop = try kind.make(name: "nats-script", thread: .owned)
                defer { serverLoop.dispose() }
                let server = try ScriptedServer(on: serverLoop, [treatment])
                let loop = try kind.make(thread: .owned)
                let client = NATSClient(to: [server.url], on: loop, options: .quick)
                client.subscribe("x").subscribe(onValue: { _ in }, onTermination: { _ in })
                if treatment == .plain { _ = try await client.flush().last() }
                try await eventually("a connection") { server.begun.value == 1 }
                loop.dispose()
                server.greet()
                try await eventually("the end of the connection") { server.ended.value == 1 }
                #expect(try await failure(of: client.subscribe("x"))?.code == .loop)
                #expect(try await failure(of: client.publish("x", to: "x"))?.code == .loop)
            }
        }
    }
#endif
