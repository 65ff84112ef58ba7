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

    /// A server, and a loop with its own thread for the clients.
    final class NATSBench: Sendable {
        let server: NATSServer
        let loop: any LoopScheduler
        private let clients = Recorder<UnsafeTransfer<Weak<NATSClient>>>()

        fileprivate init(_ kind: LoopKind, _ server: NATSServer) throws {
            self.server = server
            loop = try kind.make(name: "nats-test", thread: .owned)
        }

        /// Returns a connected client, which the bench does not retain. Without `url`, it is a client of the bench's server.
        func client(_ options: NATSOptions = .quick, at url: String? = nil) async throws -> NATSClient {
            let client = try #require(try await connecting(options, at: url ?? server.url).first())
            clients.append(UnsafeTransfer(Weak(client)))
            return client
        }

        /// Connects, and returns the code of the failure, if any.
        func refusal(_ options: NATSOptions = .quick) async throws -> NATSError.Code? {
            try await failure(of: connecting(options, at: server.url))?.code
        }

        private func connecting(_ options: NATSOptions, at url: String) -> Signal<NATSClient, NATSError> {
            NATSClient.connect(to: [url], on: loop, options: options)
        }

        /// Kills the server, and waits until the client has noticed it.
        func disconnect(_ client: NATSClient) async throws {
            server.kill()
            try await eventually("the end of the connection") { client.state.value == .reconnecting }
        }

        /// Closes the clients that still exist.
        fileprivate func closeClients() { for client in clients.values { client.value.object?.close() } }
    }

    /// Runs `body` with a server and a loop. Afterwards it closes the clients, checks that they have left nothing on the
    /// loop, disposes the loop and ends the server.
    func withBench(
        _ kind: LoopKind,
        _ server: NATSServer? = nil,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ body: (NATSBench) async throws -> Void
    ) async throws {
        let server = if let server { server } else { try await NATSServer() }
        defer { server.end() }
        let bench = try NATSBench(kind, server)
        defer { bench.loop.dispose() }
        try await body(bench)
        bench.closeClients()
        // The end of an attempt to connect takes a moment.
        try bench.loop.expectNothingLeft(shortTimers: .seconds(10), file: file, line: line)
    }

    extension Bytes {
        /// Bytes of one letter.
        static func letters(_ count: Int) -> Bytes { Bytes(Array(repeating: UInt8(ascii: "A"), count: count)) }
    }

    extension NATSOptions {
        /// Short delays before a reconnect, and long time limits for answers, because the machine may be slow.
        static var quick: NATSOptions {
            NATSOptions(
                connectTimeout: .seconds(60),
                reconnectWait: .milliseconds(20),
                reconnectJitter: .milliseconds(5)
            )
        }
    }

    extension NATSClient {
        /// Whether the client is connected. The call itself keeps the client alive, because a client without
        /// references closes.
        var isConnected: Bool { state.value == .connected }

        /// Subscribes, and returns when the server has registered the subscription.
        func record(
            _ subject: String,
            pending: NATSPendingLimits = NATSPendingLimits(),
            whenFull policy: SlowSubscriberPolicy = .dropNewest
        ) async throws -> Recording {
            let recording = Recording()
            subscribe(subject, pending: pending, whenFull: policy).subscribe(
                in: recording.subscription,
                onValue: { recording.messages.append($0) },
                onTermination: { recording.end.value = $0 }
            )
            _ = try await flush().last()
            return recording
        }
    }

    /// The messages and the termination of one subscription.
    final class Recording: Sendable {
        let subscription = SignalSubscription()
        let messages = Recorder<NATSMessage>()
        let end = Box<Termination<NATSError>?>(nil)

        var texts: [String] { messages.values.map { String($0.payload) } }

        var failure: NATSError? {
            if case .failed(let error)? = end.value { error } else { nil }
        }
    }

    /// The error that the signal fails with, or `nil` if it completes. Throws after the time limit of a wait.
    func failure<Value>(
        of signal: Signal<Value, NATSError>,
        file: StaticString = #fileID,
        line: UInt = #line
    ) async throws -> NATSError? {
        let recording = Recording()
        signal.subscribe(onValue: { _ in }, onTermination: { recording.end.value = $0 })
        try await eventually("the end of a signal", file: file, line: line) { recording.end.value != nil }
        return recording.failure
    }
#endif
