// SPDX-License-Identifier: MIT
#if CAres
    import DNSServers
    import LoopTestSupport
    import ReactiveCAres
    import ReactiveCore
    import ReactiveSignals
    import ReactiveSockets
    import SchedulerConformance
    import SchedulerEngine
    import Testing

    /// Tests of the resolver. They run one at a time, because some wait for short time limits of servers.
    @Suite(.serialized)
    enum CAres {
        /// A loop that the test runs, with a server and a resolver.
        static func with(
            _ kind: LoopKind,
            clock: any LoopClock = MonotonicClock(),
            _ answer: @escaping DNSServer.Answer,
            _ body: (any LoopScheduler, DNSServer, AresResolver) throws -> Void
        ) throws {
            try with(kind, clock: clock, change: { _ in }, answer, body)
        }

        /// The same with other settings.
        static func with(
            _ kind: LoopKind,
            clock: any LoopClock = MonotonicClock(),
            change: (inout AresSettings) -> Void,
            _ answer: @escaping DNSServer.Answer,
            _ body: (any LoopScheduler, DNSServer, AresResolver) throws -> Void
        ) throws {
            let loop = try kind.make(clock: clock)
            defer { loop.dispose() }
            let server = try DNSServer(loop, answer)
            var settings = AresSettings()
            settings.servers = [server.address]
            settings.configurationFile = "/dev/null"
            change(&settings)
            let resolver = AresResolver(loop: loop, settings: settings)
            try body(loop, server, resolver)
            server.close()
            // Without a look-up, a resolver has no socket and no timer.
            try loop.expectNothingLeft()
            resolver.dispose()
        }

        /// Looks up a name, and runs the loop until the answer has arrived.
        @discardableResult
        static func look(
            up host: String,
            _ resolver: AresResolver,
            timeout: Duration = .seconds(Latch.limit)
        ) throws -> Log<[SocketAddress], SocketError> {
            let log = resolver.resolver.addresses(of: host, port: 80, loop: resolver.loop, timeout: timeout).log()
            try resolver.loop.turns { log.hasEnded }
            return log
        }
    }

    extension Log where Value == [SocketAddress], Failure == SocketError {
        /// The addresses as texts, sorted.
        var hosts: [String] { values.flatMap { $0.map(\.host) }.sorted() }

        var message: String { failure?.message ?? "" }
    }
#endif
