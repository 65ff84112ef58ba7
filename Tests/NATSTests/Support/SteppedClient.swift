// SPDX-License-Identifier: MIT
#if NATS
    import LoopTestSupport
    import ReactiveCore
    import ReactiveNATS
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance

    /// A client on a loop that runs in turns of the test, with a clock that only the test advances. The server uses
    /// the time of the system.
    final class SteppedClient: Sendable {
        let clock = ManualClock()
        let loop: any LoopScheduler
        let client: NATSClient
        private let server: NATSServer

        fileprivate init(_ kind: LoopKind, _ server: NATSServer, _ options: NATSOptions) throws {
            self.server = server
            loop = try kind.make(name: "nats-steps", clock: clock)
            client = NATSClient(to: [server.url], on: loop, options: options)
        }

        /// Runs turns until `isDone` returns true. The clock does not advance.
        func turns(
            file: StaticString = #fileID,
            line: UInt = #line,
            until isDone: @escaping @Sendable () -> Bool
        ) async throws {
            try await onThread { [loop] in try loop.turns(file: file, line: line, until: isDone) }
        }

        /// Runs `body`, and turns until the client has received and handled this number of further messages.
        func receive(
            _ count: Int,
            file: StaticString = #fileID,
            line: UInt = #line,
            after body: () async throws -> Void
        ) async throws {
            let received = client.statistics.received
            try await body()
            try await turns(file: file, line: line) { [client] in client.statistics.received >= received + count }
            // The server has processed what this client sent before, when the reply arrives.
            let isPassed = Box(false)
            client.request(NATSMessage("", to: "nobody"), timeout: .seconds(3600)).subscribe(
                onValue: { _ in },
                onTermination: { _ in isPassed.value = true }
            )
            try await turns(file: file, line: line) { isPassed.value }
        }

        /// Kills the server, and waits until the client has noticed it.
        func disconnect() async throws {
            server.kill()
            try await turns { [client] in client.state.value == .reconnecting }
        }

        /// Lets the clock advance at most as fast as that of the system, until the client has reconnected.
        func reconnect() async throws {
            try await turns { [client, clock] in
                Platform.pause(.milliseconds(1))
                clock.advance(by: .milliseconds(1))
                return client.isConnected
            }
        }
    }

    /// Runs `body` with the bench of ``withBench(_:_:file:line:_:)`` and a connected client in steps. Afterwards it closes
    /// the client, and checks that it has left nothing on its loop.
    func withSteps(
        _ kind: LoopKind,
        _ server: NATSServer? = nil,
        options: NATSOptions = .quick,
        file: StaticString = #fileID,
        line: UInt = #line,
        _ body: (NATSBench, SteppedClient) async throws -> Void
    ) async throws {
        try await withBench(kind, server, file: file, line: line) { bench in
            let stepped = try SteppedClient(kind, bench.server, options)
            let (loop, client) = (stepped.loop, stepped.client)
            defer { loop.dispose() }
            try await stepped.turns { client.isConnected }
            try await body(bench, stepped)
            client.close()
            try await stepped.turns { client.state.value.isClosed }
            try await onThread { try loop.expectNothingLeft(file: file, line: line) }
        }
    }
#endif
