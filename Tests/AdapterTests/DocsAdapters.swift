// SPDX-License-Identifier: MIT
import LoopTestSupport
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import Testing

#if Logging
    import InMemoryLogging
    import Logging
    import ReactiveLogging
#endif
#if Metrics
    import CoreMetrics
    import MetricsTestKit
    import ReactiveCommands
    import ReactiveMetrics
#endif
#if ServiceLifecycle
    import Logging
    import ReactiveServiceLifecycle
    import ServiceLifecycle
    import UnixSignals
#endif

// The snippets of the DocC catalogues of ReactiveLogging, ReactiveMetrics and ReactiveServiceLifecycle.

#if Logging
    /// An echo server that logs its connections.
    func serveEcho(on loops: LoopGroup, logger: Logger) throws -> Server {
        let server = try Server(on: .loopback(port: 0), loops: loops) { connection in
            connection.send(from: connection.received)
        }
        server.log(to: logger)
        return server
    }
#endif

#if Metrics
    /// An echo server that records its connections, with labels that begin with `echo`.
    func serveEcho(on loops: LoopGroup, metrics: any MetricsFactory) throws -> Server {
        let server = try Server(on: .loopback(port: 0), loops: loops) { connection in
            connection.send(from: connection.received)
        }
        server.record(prefix: "echo", dimensions: [("zone", "a")], factory: metrics)
        return server
    }

    func limitOrders(on loops: LoopGroup) -> LoadLimiter {
        let limiter = LoadLimiter(on: loops.loops[0])
        limiter.record(prefix: "orders")
        return limiter
    }
#endif

#if ServiceLifecycle
    // No test calls this, because it would change the disposition of SIGTERM for all tests.
    /// An echo server that SIGTERM drains.
    func serveUntilTerminated(on loops: LoopGroup, logger: Logger) async throws {
        let echo = ServerService(grace: .seconds(20)) {
            try Server(on: .loopback(port: 7000), loops: loops) { connection in
                connection.send(from: connection.received)
            }
        }
        let services = ServiceGroup(services: [echo], gracefulShutdownSignals: [.sigterm], logger: logger)
        try await services.run()
    }
#endif

@Suite struct DocsAdapters {
    #if Logging
        @Test func logging() async throws {
            let site = try Site(.dispatch)
            let handler = InMemoryLogHandler()
            let logger = Logger(label: "echo") { _ in handler }
            let server = try serveEcho(on: LoopGroup(site.group.loops[0]), logger: logger)
            try await Self.exchange(with: server, site)
            #expect(handler.entries.map(\.message) == ["connection opened", "connection closed"])
            try await site.stop()
        }
    #endif

    #if Metrics
        @Test func metrics() async throws {
            let site = try Site(.dispatch)
            let metrics = TestMetrics()
            let server = try serveEcho(on: LoopGroup(site.group.loops[0]), metrics: metrics)
            try await Self.exchange(with: server, site)
            #expect(try metrics.expectCounter("echo.connections.ended", [("zone", "a")]).totalValue == 1)
            try await site.stop()
        }
    #endif

    /// Connects to the server, exchanges some bytes, and drains the server.
    private static func exchange(with server: Server, _ site: Site) async throws {
        try await withConnection(to: server.localAddress, loop: site.group.loops[1]) { received, send in
            try await send("hello")
            send.finish()
            for try await bytes in received { #expect(bytes == "hello") }
        }
        _ = await server.drain(within: .seconds(60)).last()
    }
}
